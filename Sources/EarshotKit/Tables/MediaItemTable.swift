import Fingerprinting
import SystemIO

/// Media items as comma-separated values: a header and one row per item.
///
/// ``grammar`` describes the format. Writing and reading a table preserves all properties.
///
/// ```swift
/// let table = try MediaItemTable(contentsOf: "lesson.csv")
/// try catalog.addReferenceSignature(signature, representing: table.items)
/// ```
public struct MediaItemTable: Sendable {
    /// The items in the order of the rows.
    public var items: [SHMediaItem]
    /// What is read, but was perhaps meant otherwise, with file and place.
    ///
    /// These are columns of one's own with nearly the names of built-in ones. They are also columns without a type that
    /// are text because their cells look like several types.
    public private(set) var warnings: [String] = []

    /// The references that the rows name, in the order of ``items`` as they were read; nil without a column of them.
    ///
    /// A row names an identifier, or the file of a source.
    package private(set) var references: [String]?
    /// The lines of the rows as they were read.
    private(set) var lines: [Int] = []

    /// Makes a table of items.
    public init(_ items: [SHMediaItem]) { self.items = items }

    /// Reads a table from the file at `path`.
    /// - Throws: ``MediaItemTableError`` naming file, line and column.
    public init(contentsOf path: String) throws {
        try self.init(named: path) { try CSVReader(path: path) }
    }

    /// Reads a table; errors call it `name`.
    /// - Throws: ``MediaItemTableError`` naming line and column.
    public init(csv: Data, name: String) throws {
        try self.init(named: name) { CSVReader(csv, name: name) }
    }

    private init(named name: String, _ open: () throws -> CSVReader) throws {
        do {
            try self.init(open(), name: name)
        } catch let error as CSVError {
            throw MediaItemTableError(
                file: name, place: error.place.map { .init(line: $0.line, column: $0.column) },
                reason: error.reason)
        } catch let error where !(error is MediaItemTableError) {
            throw MediaItemTableError(file: name, reason: "cannot be read: \(error.localizedDescription)")
        }
    }

    private init(_ reader: consuming CSVReader, name: String) throws {
        var reader = reader
        guard let header = try reader.next() else {
            throw MediaItemTableError(
                file: name, place: .init(line: 1, column: 1), reason: "expected a header, found nothing")
        }
        let columns = try Self.columns(header, name: name)
        for (cell, column) in zip(header, columns) {
            guard let nearby = column.builtInNearby else { continue }
            warnings.append(
                "\(name): line \(cell.line), column \(cell.column): \"\(column.key)\" becomes a property of your own; if you mean that,"
                    + " write \"\(column.key):text\", else \"\(nearby)\"")
        }
        var rows: [[CSVReader.Cell]] = []
        while let row = try reader.next() {
            try Self.expectCells(of: columns, in: row, name: name)
            rows.append(row)
            lines.append(row[0].line)
        }
        var types: [CellType] = []
        for (place, column) in columns.enumerated() {
            if let type = column.type {
                types.append(type)
                continue
            }
            let cells = rows.map { $0[place] }.filter { !$0.text.isEmpty }
            let looks = cells.map { CellType(lookOf: $0.text) }
            let type = CellType.common(Set(looks))
            types.append(type)
            guard type == .text, let odd = looks.firstIndex(where: { $0 != looks[0] }) else { continue }
            let cell = cells[odd]
            warnings.append(
                "\(name): line \(cell.line), column \(cell.column): the cells of \"\(column.key)\" look like \(looks[0].rawValue) and"
                    + " \(looks[odd].rawValue), so all are text; if you mean that, write \"\(column.key):text\""
            )
        }
        if let place = columns.firstIndex(where: { $0.type == .reference }) {
            references = try rows.map { row in
                guard row[place].text.isEmpty else { return row[place].text }
                throw Self.failure(
                    CellType.Mistake("the reference of the row"), in: row[place], name: name)
            }
        }
        items = try rows.map {
            SHMediaItem(stored: try Self.item($0, of: columns, types, name: name))
        }
    }

    private static func columns(_ header: [CSVReader.Cell], name: String) throws -> [TableColumn] {
        var columns: [TableColumn] = []
        if header.count == 1, !header[0].isQuoted,
            let separator = header[0].text.firstIndex(where: { ";\t|".contains($0) })
        {
            let place = header[0].text.distance(from: header[0].text.startIndex, to: separator)
            throw failure(
                CellType.Mistake("commas between the names of properties", at: place), in: header[0],
                name: name)
        }
        for cell in header {
            do throws(CellType.Mistake) {
                let text = cell.isQuoted ? cell.text : cell.text.trimmingCharacters(in: .whitespaces)
                let column = try TableColumn(header: text)
                guard !columns.contains(column) else { throw CellType.Mistake("each column once") }
                columns.append(column)
            } catch {
                throw failure(error, in: cell, name: name)
            }
        }
        return columns
    }

    private static func expectCells(
        of columns: [TableColumn], in row: [CSVReader.Cell], name: String
    ) throws {
        guard row.count == columns.count else {
            let place = row.count < columns.count ? row[row.count - 1] : row[columns.count]
            let missing =
                row.count < columns.count ? "; the column \"\(columns[row.count].header)\" is missing" : ""
            throw MediaItemTableError(
                file: name, place: .init(line: place.line, column: place.column),
                reason: "expected \(columns.count) cells as in the header, found \(row.count)\(missing)")
        }
    }

    private static func item(
        _ row: [CSVReader.Cell], of columns: [TableColumn], _ types: [CellType], name: String
    ) throws -> MediaItem {
        var properties: [MediaItem.Property] = []
        for ((cell, column), type) in zip(zip(row, columns), types)
        where !cell.text.isEmpty && type != .reference {
            do throws(CellType.Mistake) {
                guard !properties.contains(where: { $0.key == column.key }) else {
                    throw CellType.Mistake("one cell per row for \"\(column.key)\"")
                }
                properties.append(MediaItem.Property(column.key, try column.value(of: cell.text, as: type)))
            } catch {
                throw failure(error, in: cell, name: name)
            }
        }
        return MediaItem(properties)
    }

    private static func failure(
        _ mistake: CellType.Mistake, in cell: CSVReader.Cell, name: String
    ) -> MediaItemTableError {
        let found = mistake.found ?? cell.text
        let shown = found.count > 40 ? found.prefix(40) + "…" : Substring(found)
        return MediaItemTableError(
            file: name,
            place: .init(line: cell.line, column: cell.column + (cell.isQuoted ? 1 : 0) + mistake.place),
            reason: "expected \(mistake.expected), found \"\(shown)\"")
    }
}

extension MediaItemTable {
    /// The table as text; built-in properties precede the others, which are sorted by name.
    ///
    /// Limits of reading are not checked.
    public var csv: String {
        let rows = items.map { item in
            Dictionary(uniqueKeysWithValues: item.storedWithID.properties.map(Self.written))
        }
        let used = Set(rows.flatMap(\.keys))
        var columns = used.sorted { Self.rank($0) < Self.rank($1) }
        if columns.isEmpty { columns = [TableColumn(key: SHMediaItemProperty.title.rawValue, type: .text)] }
        var text = CSVField.line(columns.map(\.header)) + "\n"
        for row in rows {
            let line = CSVField.line(columns.map { row[$0] ?? "" })
            // An empty line would be skipped.
            text += (line.isEmpty ? "\"\"" : line) + "\n"
        }
        return text
    }

    /// Writes the table to a file atomically.
    /// - Throws: `FileWriteError` naming the file. ``MediaItemTableError`` for content that cannot be read back.
    ///   That is an empty key or one with control characters, or a value of a type that cannot be stored. It is also a row
    ///   of more than 16 MiB, or more than 4,096 columns.
    public func write(to path: String) throws {
        if let fault = items.lazy.compactMap(\.fault).first {
            throw MediaItemTableError(file: path, reason: fault)
        }
        let text = csv
        _ = try MediaItemTable(csv: Data(text.utf8), name: path)
        try AtomicFile.write(text, to: path)
    }

    package static func cells(of item: SHMediaItem) -> [String: String] {
        let cells = item.stored.properties.map(written)
        return Dictionary(cells.map { ($0.0.header, $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The column and cell of a property, in the simplest type that preserves the value.
    private static func written(_ property: MediaItem.Property) -> (TableColumn, String) {
        let builtIn = CellType.builtIn(SHMediaItemProperty(property.key))
        let types = (builtIn.map { [$0] } ?? []) + CellType.declarable.filter { $0 != builtIn }
        for type in types {
            if let cell = type.cell(of: property.value) {
                return (TableColumn(key: property.key, type: type), cell)
            }
        }
        return (TableColumn(key: property.key, type: .json), JSONCell.text(of: property.value))
    }

    private static func rank(_ column: TableColumn) -> (Int, String, String) {
        let place = TableColumn.builtInKeys.firstIndex(of: column.key) ?? TableColumn.builtInKeys.count
        return (place, column.key, column.type?.rawValue ?? "")
    }
}

extension MediaItemTable {
    /// The description of the format for users.
    public static let grammar = """
        A table of media items is UTF-8 text of comma-separated values: a header, then one row for each item. A cell \
        with commas, quotes or line ends is in double quotes, and its quotes are doubled. An empty cell has no value.

        The header names properties by their Swift names:

        \(CellType.help.map(line).joined(separator: "\n"))

        Ranges exclude their ends. A reference has at most \(MediaItem.mostItems) items.

        Any other name is a property of your own. NAME:TYPE declares its type: text, integer, number, float, bool, date, \
        url, data (base 64) or json. Without a type, a column whose cells all look like numbers, true or false, or JSON \
        ({…} or […]) is of that type. Other columns are text.
        """

    /// The line of help on the built-in properties with cells of a type.
    private static func line(_ type: CellType, _ help: String) -> String {
        let keys = TableColumn.builtIn.filter { $0.value == type }.map(\.key.rawValue)
        // Abbreviations come last.
        let names = keys.filter { $0 != $0.uppercased() } + keys.filter { $0 == $0.uppercased() }
        let list = names.joined(separator: ", ")
        let width = max(keys.count > 1 ? 57 : 22, list.count + 3)
        return "  - " + list.padding(toLength: width, withPad: " ", startingAt: 0) + help
    }

    /// The names of the built-in properties, in order of columns.
    package static var builtInNames: [String] { TableColumn.builtInKeys }
}

/// An error in a table of media items.
public struct MediaItemTableError: Error, CustomStringConvertible, Hashable, Sendable {
    /// A position in a text.
    public struct Place: Hashable, Sendable {
        /// The line, from 1.
        public let line: Int
        /// The character in the line, from 1.
        public let column: Int
    }

    /// The name of the file.
    public let file: String
    /// The position in the file; nil if the file cannot be read.
    public let place: Place?
    /// What was expected and found.
    public let reason: String

    init(file: String, place: Place? = nil, reason: String) {
        self.file = file
        self.place = place
        self.reason = reason
    }

    /// File, line, column and reason.
    public var description: String {
        guard let place else { return "\(file): \(reason)" }
        return "\(file): line \(place.line), column \(place.column): \(reason)"
    }
}
