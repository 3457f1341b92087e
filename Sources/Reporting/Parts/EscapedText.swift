// SPDX-License-Identifier: GPL-3.0-or-later

extension String {
    /// The text with some scalars replaced.
    ///
    /// By scalars: CR LF is one Character, and a combining mark joins the character before it.
    func escaping(_ replacements: [Unicode.Scalar: String]) -> String {
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

    /// Escapes markup, cell ends and line breaks.
    static func escaped(_ text: String) -> String { text.escaping(replacements) }

    private static let replacements: [Unicode.Scalar: String] = [
        "|": "\\|", "<": "\\<", ">": "\\>", "`": "\\`", "*": "\\*", "_": "\\_", "[": "\\[", "]": "\\]",
        "\\": "\\\\", "\n": " ", "\r": " ",
    ]
}

enum LaTeX {
    static func escaped(_ text: String) -> String { text.escaping(replacements) }

    /// A line that LaTeX does not read.
    static func comment(_ text: String) -> String { "% " + text.escaping(["\n": " ", "\r": " "]) }

    private static let replacements: [Unicode.Scalar: String] = [
        "\\": #"\textbackslash{}"#, "{": #"\{"#, "}": #"\}"#, "$": #"\$"#, "&": #"\&"#,
        // Here a raw string would end an escape.
        "#": "\\#",
        "%": #"\%"#, "_": #"\_"#, "^": #"\textasciicircum{}"#, "~": #"\textasciitilde{}"#,
        "<": #"\textless{}"#,
        ">": #"\textgreater{}"#, "|": #"\textbar{}"#, "–": "--", "−": "$-$", "×": #"$\times$"#,
        "µ": #"\textmu{}"#,
        "\u{A0}": "~", "\n": " ", "\r": " ",
    ]
}
