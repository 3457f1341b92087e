// SPDX-License-Identifier: GPL-3.0-or-later
import CPages
import Mustache
import SystemIO

/// Renders pages from the templates of `CPages`.
///
/// ``ReportHTML`` escapes their text. The templates see stored properties only. They look for a missing value in the
/// values around it, unless its name has a point in front.
enum PageTemplate {
    /// All templates by their names in `{{> name}}`.
    private static var templates: [(name: String, text: UnsafePointer<CChar>)] {
        [
            ("cells", report_cells_mustache()),
            ("changes", report_changes_mustache()),
            ("charts", report_charts_mustache()),
            ("folds", report_folds_mustache()),
            ("group", report_group_mustache()),
            ("header", report_header_mustache()),
            ("heads", report_heads_mustache()),
            ("overview", report_overview_mustache()),
            ("page", report_page_mustache()),
            ("provenance", report_provenance_mustache()),
            ("rows", report_rows_mustache()),
            ("section", report_section_mustache()),
            ("table", report_table_mustache()),
            ("tiles", report_tiles_mustache()),
            ("trials", report_trials_mustache()),
        ]
    }

    /// - Parameter content: the values by their names in the template; one that is missing renders nothing.
    static func render(_ content: [String: Any]) throws -> String {
        MustacheContentTypes.register(ReportHTML(), named: ReportHTML.name)
        var library = MustacheLibrary()
        for (name, text) in templates {
            let type = "{{% CONTENT_TYPE:\(ReportHTML.name)}}\n"
            try library.register(type + String(cString: text), named: name)
        }
        return library.render(content, withTemplate: "page") ?? ""
    }
}

/// Text made safe for the page's elements and its quoted attributes.
///
/// It escapes Unicode scalars, as a combining mark after a quote or an angle bracket makes one Character of the two.
/// Control characters and directional marks become U+FFFD. So a name can neither vanish nor reorder its neighbours.
struct ReportHTML: MustacheContentType {
    /// The content type in the first line of each template.
    static let name = "REPORT"

    func escapeText(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case _ where VisibleText.isSteering(scalar): escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
