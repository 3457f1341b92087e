import Mustache

/// Text made safe for the page's elements and its quoted attributes.
///
/// Works on Unicode scalars: a combining mark after a quote or an angle bracket makes one
/// Character of the two, which an escape by Characters lets through. Control characters, which
/// HTML forbids, and the marks that turn the direction of text around become U+FFFD, so that a
/// name can neither vanish nor rearrange what stands beside it.
struct ReportHTML: MustacheContentType {
    /// The name by which templates ask for it, in their first line.
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
