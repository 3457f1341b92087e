import Fingerprinting
import Foundation
import SystemIO

extension MediaItemTable {
    /// The table as text: built-in properties in a fixed order, then the others by name, their types declared.
    ///
    /// Whether it is within the limits of what can be read back is not looked at.
    public var csv: String {
        let rows = items.map { item in
            Dictionary(uniqueKeysWithValues: item.stored.properties.map(Self.written))
        }
        let used = Set(rows.flatMap(\.keys))
        var columns = used.sorted { Self.rank($0) < Self.rank($1) }
        if columns.isEmpty { columns = [TableColumn(key: SHMediaItemProperty.title.rawValue, type: .text)] }
        var text = columns.map { Self.quoted($0.header) }.joined(separator: ",") + "\n"
        for row in rows {
            let cells = columns.map { row[$0].map(Self.quoted) ?? "" }
            // A line of nothing would be passed over.
            text += cells == [""] ? "\"\"\n" : cells.joined(separator: ",") + "\n"
        }
        return text
    }

    /// Writes the table to a file: all of it, or nothing.
    ///
    /// - Throws: `FileWriteError`, naming the file; ``MediaItemTableError``, naming line and column, for what could not be
    ///   read back: an empty key, a row of more than 16 MiB, more than 4,096 columns.
    public func write(to path: String) throws {
        let text = csv
        _ = try MediaItemTable(csv: Data(text.utf8), name: path)
        try AtomicFile.write(text, to: path)
    }

    /// The cells of an item by the headers of their columns.
    package static func cells(of item: SHMediaItem) -> [String: String] {
        let cells = item.stored.properties.map(written)
        return Dictionary(cells.map { ($0.0.header, $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    /// Column and cell of a property: of the plainest type that gives the same value back.
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

    private static func quoted(_ cell: String) -> String {
        let isPlain =
            cell.unicodeScalars.allSatisfy { !",\"\r\n".unicodeScalars.contains($0) }
            && cell == cell.trimmingCharacters(in: .whitespaces) && !cell.hasPrefix("\u{FEFF}")
        return isPlain ? cell : CSVField.quoted(cell)
    }
}
