/// Tables and texts of Markdown files.
enum Markdown {
    /// The lines of a table; columns after the first are flush right where they are figures.
    static func table(_ head: [String], _ rows: [[String]], isOfFigures: Bool = true) -> [String] {
        func line(_ cells: [String]) -> String { "| \(cells.map(escaped).joined(separator: " | ")) |" }
        let rule = String(repeating: isOfFigures ? "--:|" : "---|", count: head.count - 1)
        return [line(head), "|---|" + rule] + rows.map(line)
    }

    /// Text that cannot end a cell, begin a line or be taken for markup.
    static func escaped(_ text: String) -> String { text.escaping(replacements) }

    private static let replacements: [Unicode.Scalar: String] = [
        "|": "\\|", "<": "\\<", ">": "\\>", "`": "\\`", "*": "\\*", "_": "\\_", "[": "\\[", "]": "\\]",
        "\\": "\\\\", "\n": " ", "\r": " ",
    ]
}
