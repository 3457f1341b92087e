import AudioIO
import Fingerprinting
import SystemIO

package struct MediaItemFiles {
    private struct Table {
        let path: String
        let id: String
    }

    private var tables: [Table] = []
    /// The tables that were passed over.
    package private(set) var leftOut: [FolderListing.LeftOut] = []

    /// The tables.
    package var files: [String] { tables.map(\.path) }

    /// Finds the tables under `paths`: files, and folders of them.
    ///
    /// - Parameter id: The identifier of the only table's reference; nil to take it from the file's name.
    /// - Throws: `AudioFileError` when a path is missing; `CatalogEditError` when a folder holds no table, or `id` is for
    ///   several.
    package init(_ paths: [String], naming: ReferenceSource.Naming, id: String? = nil) throws {
        for path in paths {
            let listing = try AudioFileFinder.listing(under: path, withExtensions: ["csv"])
            let files = listing.files
            leftOut += listing.leftOut.filter(\.isWanted)
            guard !files.isEmpty else {
                throw CatalogEditError("\(path): the folder holds no tables (.csv)")
            }
            tables += files.map { Table(path: $0, id: id ?? naming.id(of: $0, under: path)) }
        }
        guard id == nil || tables.count <= 1 else {
            throw CatalogEditError("--id names one reference, but there are \(tables.count) tables")
        }
    }

    /// Gives each source the items of its table.
    ///
    /// A table belongs to the source of its name, else to the only source in its folder. In a table with a column of
    /// references, each row belongs to the source of that identifier or file.
    ///
    /// - Parameter note: Called with each warning of a table.
    /// - Throws: `MediaItemTableError` naming file, line and column; `CatalogEditError` for a table that is of no
    ///   source, or a second one of a source.
    package func described(_ sources: [ReferenceSource], noting note: (String) -> Void) throws
        -> [ReferenceSource]
    {
        var sources = sources
        let places = Dictionary(sources.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let folders = Dictionary(grouping: sources.indices) { Self.folder(of: sources[$0].path) }
        let isOnly = tables.count == 1 && sources.count == 1
        var owners: [Int: String] = [:]
        for table in tables {
            let neighbours = folders[Self.folder(of: table.path)] ?? []
            let own =
                isOnly
                ? 0
                : places[table.id] ?? (neighbours.count == 1 ? neighbours[0] : nil)
                    ?? neighbours.first { Self.stem(sources[$0].path) == Self.stem(table.path) }
            let read = Result { try Self.rows(of: table, noting: note) }
            // That a table is of no source is said before what is wrong in it.
            let rows = own == nil ? try? read.get() : try read.get()
            if let excess = rows?.excess { throw excess }
            if let rows, !rows.groups.isEmpty {
                for (name, items) in rows.groups.sorted(by: { $0.key < $1.key }) {
                    guard let place = places[name] ?? Self.place(ofFile: name, among: sources) else {
                        throw CatalogEditError(
                            "\(table.path): there is no source with the identifier or file \"\(name)\"")
                    }
                    try Self.claim(table, of: sources[place].id, in: &owners, key: place)
                    sources[place].mediaItem = try MediaItem(items: items)
                }
                continue
            }
            guard let place = own, let rows else {
                throw CatalogEditError(
                    "\(table.path): there is no source of this name; tables are named like their sources, or alone"
                        + " with one in a folder")
            }
            try Self.claim(table, of: sources[place].id, in: &owners, key: place)
            sources[place].mediaItem = try MediaItem(items: rows.all)
        }
        return sources
    }

    /// The items of each table, by the identifier of its reference.
    ///
    /// - Parameter note: Called with each warning of a table.
    /// - Throws: `MediaItemTableError` naming file, line and column; `CatalogEditError` for two tables of one reference.
    package func items(noting note: (String) -> Void) throws -> [String: [SHMediaItem]] {
        var owners: [String: String] = [:]
        var found: [String: [SHMediaItem]] = [:]
        for table in tables {
            let (groups, all, excess) = try Self.rows(of: table, noting: note)
            if let excess { throw excess }
            for (id, items) in groups.isEmpty ? [table.id: all] : groups {
                try Self.claim(table, of: id, in: &owners, key: id)
                found[id] = items
            }
        }
        return found
    }

    /// The items of a table by the references that its rows name, all its items, and the error of the first row too many of a
    /// reference.
    private static func rows(
        of table: Table, noting note: (String) -> Void
    ) throws -> (groups: [String: [SHMediaItem]], all: [SHMediaItem], excess: MediaItemTableError?) {
        let read = try MediaItemTable(contentsOf: table.path)
        read.warnings.forEach(note)
        var counts: [String?: Int] = [:]
        let excess = read.lines.indices.first { row in
            counts[read.references?[row], default: 0] += 1
            return counts[read.references?[row], default: 0] > MediaItem.mostItems
        }.map { row in
            MediaItemTableError(
                file: table.path, place: .init(line: read.lines[row], column: 1),
                reason: "expected at most \(MediaItem.mostItems) rows of one reference, found one more")
        }
        let named = zip(read.references ?? [], read.items)
        return (Dictionary(grouping: named, by: { $0.0 }).mapValues { $0.map(\.1) }, read.items, excess)
    }

    /// The only source with a file of this name or path.
    private static func place(ofFile name: String, among sources: [ReferenceSource]) -> Int? {
        let places = sources.indices.filter {
            sources[$0].path == name || sources[$0].path.hasSuffix("/" + name)
        }
        return places.count == 1 ? places[0] : nil
    }

    private static func claim<Key>(_ table: Table, of id: String, in owners: inout [Key: String], key: Key)
        throws
    {
        guard let other = owners.updateValue(table.path, forKey: key) else { return }
        throw CatalogEditError("\(other) and \(table.path) are both tables of the reference \"\(id)\"")
    }

    private static func stem(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().standardized.path
    }
}

/// A change of a catalog, or tables for it, that cannot be made, and why.
package struct CatalogEditError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
