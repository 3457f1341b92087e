import Fingerprinting
import Foundation
import SystemIO

/// Media items as a table of comma-separated values: a header, then a row for each item.
///
/// ``grammar`` describes the form. What was written to a file is read back as equal items, whatever their properties
/// hold.
///
/// ```swift
/// let table = try MediaItemTable(contentsOf: "lesson.csv")
/// try catalog.addReferenceSignature(signature, representing: table.items)
/// ```
public struct MediaItemTable: Sendable {
    /// The items, in the order of the rows.
    public var items: [SHMediaItem]

    /// Makes a table of items.
    public init(_ items: [SHMediaItem]) { self.items = items }

    /// Reads the table in the file at `path`.
    ///
    /// - Throws: ``MediaItemTableError``, naming file, line and column.
    public init(contentsOf path: String) throws {
        do {
            try self.init(CSVReader(path: path), name: path)
        } catch let error as MediaItemTableError {
            throw error
        } catch let error as CSVError {
            throw MediaItemTableError(error)
        } catch {
            throw MediaItemTableError(file: path, reason: "cannot be read: \(error.localizedDescription)")
        }
    }

    /// Reads a table; `name` is what errors call it.
    ///
    /// - Throws: ``MediaItemTableError``, naming line and column, whatever the bytes are.
    public init(csv: Data, name: String) throws {
        do {
            try self.init(CSVReader(csv, name: name), name: name)
        } catch let error as CSVError {
            throw MediaItemTableError(error)
        }
    }

    private init(_ reader: consuming CSVReader, name: String) throws {
        var reader = reader
        guard let header = try reader.next() else {
            throw MediaItemTableError(
                file: name, line: 1, column: 1, reason: "expected a header, found nothing")
        }
        let columns = try Self.columns(header, name: name)
        items = []
        while let row = try reader.next() {
            items.append(SHMediaItem(stored: try Self.item(row, columns, name: name)))
        }
    }

    private static func columns(_ header: [CSVReader.Cell], name: String) throws -> [TableColumn] {
        var columns: [TableColumn] = []
        for cell in header {
            do throws(CellType.Mistake) {
                let text = cell.isQuoted ? cell.text : cell.text.trimmingCharacters(in: .whitespaces)
                let column = try TableColumn(header: text)
                guard !columns.contains(column) else {
                    throw CellType.Mistake("each column once")
                }
                columns.append(column)
            } catch {
                throw failure(error, in: cell, name: name)
            }
        }
        return columns
    }

    private static func item(
        _ row: [CSVReader.Cell], _ columns: [TableColumn], name: String
    ) throws -> MediaItem {
        guard row.count == columns.count else {
            let place = row.count < columns.count ? row[row.count - 1] : row[columns.count]
            let missing =
                row.count < columns.count ? "; the column \"\(columns[row.count].header)\" is missing" : ""
            throw MediaItemTableError(
                file: name, line: place.line, column: place.column,
                reason: "expected \(columns.count) cells as in the header, found \(row.count)\(missing)")
        }
        var properties: [MediaItem.Property] = []
        for (cell, column) in zip(row, columns) where !cell.text.isEmpty {
            do throws(CellType.Mistake) {
                guard !properties.contains(where: { $0.key == column.key }) else {
                    throw CellType.Mistake("one cell of the row to give \"\(column.key)\", here is another")
                }
                properties.append(MediaItem.Property(column.key, try column.value(of: cell.text)))
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
            file: name, line: cell.line, column: cell.column + (cell.isQuoted ? 1 : 0) + mistake.place,
            reason: "expected \(mistake.expected), found \"\(shown)\"")
    }
}
