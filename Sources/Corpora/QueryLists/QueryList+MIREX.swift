import Foundation

extension QueryList {
    /// Reads the list form of the MIREX task Audio Fingerprinting: a query and its reference on each line.
    ///
    /// The two are separated by a tab, or by blanks where neither name holds one. Nothing behind the tab makes a
    /// negative, which MIREX itself does not have.
    package static func mirex(_ data: Data, path: String) throws -> [Entry] {
        var entries: [Entry] = []
        var positions: [String: Int] = [:]
        for (number, line) in try NumberedLines.of(data, path: path) {
            if line.allSatisfy(\.isWhitespace) { continue }
            let (query, reference, column) = try fields(of: line, file: path, line: number)
            let right =
                reference.isEmpty ? [] : [Right(reference: reference, line: number, column: column)]
            if let position = positions[query] {
                guard !right.isEmpty, !entries[position].rights.isEmpty else {
                    throw ConfigurationError(
                        file: path, line: number,
                        message: "column 1: expected a query with a reference; \(query) stands on line "
                            + "\(entries[position].line) too, and one of them names none")
                }
                entries[position].rights += right
            } else {
                positions[query] = entries.count
                entries.append(Entry(query: query, rights: right, line: number))
            }
        }
        return entries
    }

    private static func fields(
        of line: Substring, file: String, line number: Int
    ) throws -> (query: String, reference: String, column: Int) {
        let hasTab = line.contains("\t")
        let fields =
            hasTab
            ? line.split(separator: "\t", omittingEmptySubsequences: false)
            : line.split { $0 == " " }
        guard fields.count == 2, !fields[0].isEmpty else {
            throw ConfigurationError(
                file: file, line: number,
                message: "column 1: expected a query and a reference separated by a tab"
                    + (hasTab ? "" : ", or by a blank where names hold none")
                    + ", found \(fields.count) fields")
        }
        let column = line.distance(from: line.startIndex, to: fields[1].startIndex) + 1
        return (String(fields[0]), fields[1].trimmingCharacters(in: .whitespaces), column)
    }
}
