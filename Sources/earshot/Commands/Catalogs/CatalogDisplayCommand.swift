import ArgumentParser
import EarshotKit
import Fingerprinting
import Foundation

extension CustomCatalogCommand {
    /// `earshot custom-catalog display`: lists the references of a catalog.
    struct Display: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the references of a catalog.",
            discussion: """
                One line for each reference, in the catalog's order: identifier, title, duration, number of peaks, and \
                the bytes that it takes in the file without its share of the index; under it a line for each of its \
                media items: identifier, and properties as in tables. With --json one object with the members \
                references, hours, bytes and indexBytes.
                """)

        @OptionGroup var catalog: CatalogInput

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let catalog = try CatalogFile.open(self.catalog.path)
            let rows = try catalog.entries.indices.map { try Row(catalog, $0) }
            try json ? printJSON(rows, of: catalog) : printTable(rows)
        }

        private func printJSON(_ rows: [Row], of catalog: Catalog) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let summary = Summary(
                references: rows, hours: catalog.hours, bytes: catalog.fileBytes,
                indexBytes: catalog.pairIndexBytes)
            try StandardOutput.print(String(decoding: try encoder.encode(summary), as: UTF8.self))
        }

        private func printTable(_ rows: [Row]) throws {
            let header = ["id", "title", "duration", "peaks", "bytes"]
            let lines = [header] + rows.map(\.cells)
            let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
            let text = lines.map { line in
                line.indices.map { column in
                    let padding = String(repeating: " ", count: widths[column] - line[column].count)
                    return column < 2 ? line[column] + padding : padding + line[column]
                }.joined(separator: "  ")
            }
            try StandardOutput.print(text[0])
            for (row, line) in zip(rows, text.dropFirst()) {
                try StandardOutput.print(line)
                for item in row.items { try StandardOutput.print("  " + item.line) }
            }
        }
    }
}

/// All that is shown of a catalog.
private struct Summary: Encodable {
    let references: [Row]
    let hours: Double
    let bytes: Int
    let indexBytes: Int
}

/// What is shown of a reference.
private struct Row: Encodable {
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
            return Row.printable(([id] + cells).joined(separator: "  "))
        }
    }

    init(_ catalog: Catalog, _ place: Int) throws {
        let entry = try catalog.entry(at: place)
        let size = catalog.size(at: place)
        id = entry.id
        let items = entry.mediaItem.items(ofReference: entry.id)
        title = entry.mediaItem.firstTitle
        self.items = items.map { item in
            Item(id: item.id.uuidString, properties: MediaItemTable.cells(of: item))
        }
        durationSeconds = entry.durationSeconds
        peaks = size.peaks
        bytes = size.bytes
    }

    /// The same as text; control characters would spoil the table.
    var cells: [String] {
        let tenths = Int((durationSeconds * 10).rounded())
        let duration = String(format: "%d:%02d.%d", tenths / 600, tenths / 10 % 60, tenths % 10)
        return [id, title ?? "", duration, "\(peaks)", "\(bytes)"].map(Self.printable)
    }

    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
