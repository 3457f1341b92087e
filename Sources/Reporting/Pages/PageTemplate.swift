// SPDX-License-Identifier: GPL-3.0-or-later
import CPages
import Mustache

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
