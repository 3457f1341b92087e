import AudioIO
import EarshotKit
import Fingerprinting

/// The tables of media items that sources are described by.
struct MediaItemFiles {
    /// Paths of tables by the identifiers of references.
    private var paths: [String: String] = [:]

    /// Finds the tables under `paths`: files, and folders of them.
    ///
    /// - Throws: `AudioFileError` when a path is missing; `CatalogCommandError` when a folder holds no table, or two
    ///   tables are of one reference.
    init(_ paths: [String], naming: ReferenceSource.Naming) throws {
        for path in paths {
            let files = try AudioFileFinder.files(under: path, withExtensions: ["csv"])
            guard !files.isEmpty else {
                throw CatalogCommandError(description: "\(path): the folder holds no tables (.csv)")
            }
            for file in files {
                let id = naming.id(of: file, under: path)
                if let other = self.paths.updateValue(file, forKey: id) {
                    throw CatalogCommandError(
                        description: "\(other) and \(file) are both tables of the reference \"\(id)\"")
                }
            }
        }
    }

    /// Gives each source the items of its table.
    ///
    /// - Throws: `MediaItemTableError` naming file, line and column; `CatalogCommandError` for a table that is of no
    ///   source.
    func described(_ sources: [ReferenceSource]) throws -> [ReferenceSource] {
        var sources = sources
        if paths.count == 1, sources.count == 1, let path = paths.values.first {
            sources[0].mediaItem = try Self.mediaItem(path)
            return sources
        }
        var left = paths
        for place in sources.indices {
            guard let path = left.removeValue(forKey: sources[place].id) else { continue }
            sources[place].mediaItem = try Self.mediaItem(path)
        }
        if let stray = left.values.min() {
            throw CatalogCommandError(
                description: "\(stray): there is no source of this name; tables are named like their sources")
        }
        return sources
    }

    private static func mediaItem(_ path: String) throws -> MediaItem {
        MediaItem(items: try MediaItemTable(contentsOf: path).items)
    }
}

/// A catalog command that cannot go on, and why.
struct CatalogCommandError: Error, CustomStringConvertible {
    let description: String
}
