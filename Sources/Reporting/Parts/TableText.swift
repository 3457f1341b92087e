import SystemIO

/// Tables of plain text.
package enum TableText {
    /// Lines of columns as wide as their widest field, without blanks at the end.
    ///
    /// - Parameter flushRight: the columns that are flush right.
    package static func aligned(_ rows: [[String]], flushRight: Set<Int> = []) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
        }
        return rows.map { row in
            var line = row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return flushRight.contains(column) ? padding + text : text + padding
            }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// A name cut to `length` characters.
    static func shortened(_ name: String, to length: Int) -> String {
        name.count <= length ? name : name.prefix(max(0, length - 1)) + "…"
    }

    /// The words of a line in lines of at most `columns` characters; all but the first are indented by four.
    ///
    /// - Parameter columns: Nil for one line.
    package static func folded(_ line: String, columns: Int?) -> [String] {
        guard let columns, line.count > columns else { return [line] }
        let indent = String(line.prefix { $0 == " " })
        var lines = [indent]
        for word in line.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
            let isFirst = lines[lines.count - 1].allSatisfy { $0 == " " }
            if !isFirst, lines[lines.count - 1].count + 1 + word.count > columns {
                lines.append("    " + word)
            } else {
                lines[lines.count - 1] += (isFirst ? "" : " ") + word
            }
        }
        return lines
    }

    /// Lines for a terminal: with ordinary blanks, and without what could move its cursor or colour it.
    package static func joined(_ lines: [String]) -> String {
        lines.map { VisibleText.field($0.replacing(NumberText.blank, with: " ")) }.joined(separator: "\n")
    }

    /// The lines of a Markdown table, with markup in fields escaped.
    package static func markdown(_ head: [String], _ rows: [[String]]) -> [String] {
        Markdown.table(head, rows, isOfFigures: false)
    }
}
