// SPDX-License-Identifier: GPL-3.0-or-later
import Mustache
import SystemIO

// Each format for people and other programs has one place that makes the text of others safe for it: those below, `CSVField`
// and `VisibleText` for terminals of SystemIO, and `ScriptJSON` for scripts of pages.

extension String {
    /// The text with some scalars replaced.
    ///
    /// By scalars: CR LF is one Character, and a combining mark joins the character before it.
    fileprivate func escaping(_ replacements: [Unicode.Scalar: String]) -> String {
        var escaped = ""
        for scalar in unicodeScalars {
            if let replacement = replacements[scalar] {
                escaped += replacement
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// With a blank for each line end and tab.
    fileprivate var spaced: String { escaping(["\n": " ", "\r": " ", "\t": " "]) }
}

enum Markdown {
    /// The lines of a table, with columns of figures flush right.
    static func table(_ head: [String], _ rows: [[String]], isOfFigures: Bool = true) -> [String] {
        func line(_ cells: [String]) -> String { "| \(cells.map(escaped).joined(separator: " | ")) |" }
        let rule = String(repeating: isOfFigures ? "--:|" : "---|", count: head.count - 1)
        return [line(head), "|---|" + rule] + rows.map(line)
    }

    static func table<Row>(_ columns: [Table<Row>.Column], _ rows: [Row]) -> [String] {
        let texts = Table(columns)
        return table(texts.heads, rows.map(texts.cells))
    }

    /// A heading of plain text.
    static func heading(_ level: Int, _ text: String) -> String {
        String(repeating: "#", count: level) + " " + escaped(text)
    }

    /// The text in one line, as CommonMark and its tables show it.
    static func escaped(_ text: String) -> String {
        let line = VisibleText.field(text.spaced).escaping(replacements)
        // At the beginning these are marks of lists and rules. Numbers such as -10 dB begin with a sign, too.
        let marks = line.unicodeScalars.prefix(2)
        let isMark = marks.first.map { "-+=".unicodeScalars.contains($0) } ?? false
        return isMark && !(marks.last?.properties.numericType != nil) ? "\\" + line : line
    }

    private static let replacements = Dictionary(
        uniqueKeysWithValues: "|<>`*_[]\\&#~$".unicodeScalars.map { ($0, "\\\($0)") })
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

/// XML 1.0.
enum XML {
    /// Text of an element or a quoted attribute.
    ///
    /// A reader turns line ends and tabs of an attribute into blanks unless they are
    /// escaped, and refuses noncharacters.
    static func escaped(_ text: String) -> String {
        ReportHTML().escapeText(text)
            .escaping(["\n": "&#10;", "\t": "&#9;", "\u{FFFE}": "\u{FFFD}", "\u{FFFF}": "\u{FFFD}"])
    }
}

/// Workflow commands of GitHub Actions.
enum WorkflowCommand {
    static func message(_ text: String) -> String {
        VisibleText.field(text.escaping(["%": "%25", "\r": "%0D", "\n": "%0A"]))
    }

    static func property(_ text: String) -> String {
        message(text).escaping([":": "%3A", ",": "%2C"])
    }
}

/// Lines whose fields tabs separate, such as labels of an audio editor.
package enum TabbedText {
    package static func line(_ fields: [String]) -> String {
        fields.map(VisibleText.field).joined(separator: "\t")
    }
}

/// Cue sheets, which cannot escape a quote.
package enum CueSheet {
    package static func quoted(_ text: String) -> String {
        "\"" + VisibleText.field(text).escaping(["\"": "'"]) + "\""
    }
}

enum LaTeX {
    static func escaped(_ text: String) -> String { VisibleText.field(text.spaced).escaping(replacements) }

    /// A line that LaTeX does not read.
    static func comment(_ text: String) -> String { "% " + VisibleText.field(text.spaced) }

    private static let replacements: [Unicode.Scalar: String] = [
        "\\": #"\textbackslash{}"#, "{": #"\{"#, "}": #"\}"#, "$": #"\$"#, "&": #"\&"#,
        // Here a raw string would end an escape.
        "#": "\\#",
        "%": #"\%"#, "_": #"\_"#, "^": #"\textasciicircum{}"#, "~": #"\textasciitilde{}"#,
        "<": #"\textless{}"#,
        ">": #"\textgreater{}"#, "|": #"\textbar{}"#, "–": "--", "−": "$-$", "×": #"$\times$"#,
        "µ": #"\textmu{}"#,
        "\u{A0}": "~",
    ]
}
