import Foundation

extension QueryList {
    /// Reads the list form of the MIREX task Audio Fingerprinting: a query and its reference on each line.
    ///
    /// The two are separated by a tab, or by blanks where neither name holds one. Nothing behind the tab makes a
    /// negative, which MIREX itself does not have.
    static func mirex(_ data: Data, path: String) throws -> [Entry] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationError(file: path, line: nil, message: "expected text in UTF-8")
        }
        var entries: [Entry] = []
        var positions: [String: Int] = [:]
        let lines = text.trimmingPrefix("\u{FEFF}").split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n"
        }
        for (index, line) in lines.enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            let (query, reference, column) = try fields(of: line, file: path, line: index + 1)
            let right =
                reference.isEmpty ? [] : [Right(reference: reference, line: index + 1, column: column)]
            if let position = positions[query] {
                guard !right.isEmpty, !entries[position].rights.isEmpty else {
                    throw ConfigurationError(
                        file: path, line: index + 1,
                        message: "column 1: expected a query with a reference; \(query) stands on line "
                            + "\(entries[position].line) too, and one of them names none")
                }
                entries[position].rights += right
            } else {
                positions[query] = entries.count
                entries.append(Entry(query: query, rights: right, line: index + 1))
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
