import Foundation
import SystemIO

/// A table of comma-separated values whose header names its columns, row by row.
struct ListTable {
    let file: String
    private let header: [CSVReader.Cell]
    private var reader: CSVReader

    /// Reads the header; each of `required` must be in it.
    ///
    /// - Throws: ``ConfigurationError`` with line and column.
    init(_ data: Data, file: String, required: [String]) throws {
        self.file = file
        reader = CSVReader(data, name: file)
        header = try Self.next(&reader) ?? []
        for (index, cell) in header.enumerated()
        where header[..<index].contains(where: { $0.text == cell.text }) {
            throw Self.error(file, cell, "expected each column once, found \"\(cell.text)\" again")
        }
        for name in required where !columns.contains(name) {
            throw ConfigurationError(
                file: file, line: header.first?.line ?? 1,
                message: "expected a column \"\(name)\", found \(columns.joined(separator: ", "))")
        }
    }

    var columns: [String] { header.map(\.text) }

    /// Refuses a column without a name, and one that is probably one of `known`.
    ///
    /// - Throws: ``ConfigurationError`` with line and column.
    func refuseMisspelt(_ known: [String]) throws {
        for cell in header where !known.contains(cell.text) {
            if cell.text.allSatisfy(\.isWhitespace) {
                throw Self.error(
                    file, cell,
                    "expected a name of a column, found none. An index of pandas is left out by index=False")
            }
            let suggestion = known.suggestion(for: cell.text)
            if !suggestion.isEmpty {
                throw Self.error(file, cell, "unknown column \"\(cell.text)\"\(suggestion)")
            }
        }
    }

    /// The next row; nil after the last.
    ///
    /// - Throws: ``ConfigurationError`` with line and column.
    mutating func next() throws -> ListRow? {
        guard let cells = try Self.next(&reader) else { return nil }
        guard cells.count == header.count else {
            let place = cells.count < header.count ? cells[cells.count - 1] : cells[header.count]
            throw Self.error(
                file, place, "expected \(header.count) cells as in the header, found \(cells.count)")
        }
        return ListRow(
            file: file, line: cells[0].line,
            cells: Dictionary(zip(columns, cells), uniquingKeysWith: { first, _ in first }))
    }

    private static func next(_ reader: inout CSVReader) throws -> [CSVReader.Cell]? {
        do {
            return try reader.next()
        } catch let error as CSVError {
            let column = error.place.map { "column \($0.column): " } ?? ""
            throw ConfigurationError(
                file: error.file, line: error.place?.line, message: column + error.reason)
        }
    }

    fileprivate static func error(_ file: String, _ cell: CSVReader.Cell, _ message: String)
        -> ConfigurationError
    {
        ConfigurationError(file: file, line: cell.line, message: "column \(cell.column): \(message)")
    }
}

struct ListRow {
    let file: String
    let line: Int
    fileprivate let cells: [String: CSVReader.Cell]

    /// The text of a cell; nil when it is empty or the list has no such column.
    func text(_ column: String) -> String? {
        cells[column].flatMap { $0.text.isEmpty ? nil : $0.text }
    }

    func required(_ column: String) throws -> String {
        guard let text = text(column) else {
            throw error(column, "expected something in \(column), found nothing")
        }
        return text
    }

    /// The number in a cell; nil when it is empty or the list has no such column.
    func number(_ column: String, in range: ClosedRange<Double>, _ meaning: String) throws -> Double? {
        guard let text = text(column) else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw error(
                column,
                "expected \(meaning), from \(formatNumber(range.lowerBound)) to \(formatNumber(range.upperBound)), "
                    + "found \"\(text.prefix(40))\"")
        }
        return number
    }

    func error(_ column: String, _ message: String) -> ConfigurationError {
        guard let cell = cells[column] else {
            return ConfigurationError(file: file, line: line, message: message)
        }
        return ListTable.error(file, cell, message)
    }

    func place(_ column: String) -> Int { cells[column]?.column ?? 1 }
}
