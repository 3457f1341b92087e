// SPDX-License-Identifier: GPL-3.0-or-later
import Mustache

/// The templates of a page.
///
/// ``ReportHTML`` escapes their text.
struct PageTemplate {
    /// The names and bytes of the templates.
    ///
    /// The first is the page, the others are its partials, beside `head`.
    let parts: [(name: String, bytes: [UInt8])]

    func render(_ content: Any) throws -> String {
        MustacheContentTypes.register(ReportHTML(), named: ReportHTML.name)
        var library = MustacheLibrary()
        for (name, bytes) in parts + [("head", PackageResources.head_mustache)] {
            try library.register(String(decoding: bytes, as: UTF8.self), named: name)
        }
        return library.render(content, withTemplate: parts[0].name) ?? ""
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
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
