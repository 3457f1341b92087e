import AudioCore
import EarshotKit
import Fingerprinting
import Foundation
import Reporting
import SystemIO

/// What a catalog holds, as a table and as JSON.
struct CatalogListing: Encodable {
    let references: [CatalogRow]
    let hours: Double
    let bytes: Int
    let indexBytes: Int
    /// That of the file's format.
    let version: UInt32?

    init(_ catalog: Catalog) throws {
        references = try catalog.entries.indices.map { try CatalogRow(catalog, $0) }
        hours = catalog.hours
        bytes = catalog.source?.byteCount ?? 0
        indexBytes = catalog.pairIndexBytes
        version = catalog.source?.version
    }

    /// A header and a line for each reference, with its media items under it.
    var table: String {
        let rows = [["id", "title", "duration", "peaks", "bytes"]] + references.map(\.cells)
        let text = TableText.aligned(rows, flushRight: [2, 3, 4])
        let entries = zip(references, text.dropFirst()).flatMap { row, line in
            [line] + row.items.map { "  " + $0.line }
        }
        return ([text[0]] + entries).joined(separator: "\n")
    }
}

struct CatalogRow: Encodable {
    let id: String
    let title: String?
    let durationSeconds: Double
    let peaks: Int
    let bytes: Int
    let items: [Item]

    /// What is shown of a media item: its properties as cells of a table, by their headers.
    struct Item: Encodable {
        let id: String
        let properties: [String: String]

        var line: String {
            let cells = properties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return VisibleText.field(([id] + cells).joined(separator: "  "))
        }
    }

    init(_ catalog: Catalog, _ place: Int) throws {
        let entry = try catalog.entry(at: place)
        let size = catalog.size(at: place)
        id = entry.id
        let items = try catalog.items(at: place)
        title = entry.mediaItem.firstTitle
        self.items = items.map { item in
            Item(id: item.id.uuidString, properties: MediaItemTable.cells(of: item))
        }
        durationSeconds = entry.durationSeconds
        peaks = size.peaks
        bytes = size.bytes
    }

    /// The same as text.
    var cells: [String] {
        let tenths = Int(bounded: (durationSeconds * 10).rounded())
        let duration = String(format: "%d:%02d.%d", tenths / 600, tenths / 10 % 60, tenths % 10)
        return [id, title ?? "", duration, "\(peaks)", "\(bytes)"].map(VisibleText.field)
    }
}
