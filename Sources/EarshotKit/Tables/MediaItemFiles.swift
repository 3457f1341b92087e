import AudioIO
import Fingerprinting

package struct MediaItemFiles {
    private var paths: [String: String] = [:]

    /// Finds the tables under `paths`: files, and folders of them.
    ///
    /// - Throws: `AudioFileError` when a path is missing; `CatalogEditError` when a folder holds no table, or two
    ///   tables are of one reference.
    package init(_ paths: [String], naming: ReferenceSource.Naming) throws {
        for path in paths {
            let files = try AudioFileFinder.files(under: path, withExtensions: ["csv"])
            guard !files.isEmpty else {
                throw CatalogEditError(description: "\(path): the folder holds no tables (.csv)")
            }
            for file in files {
                let id = naming.id(of: file, under: path)
                if let other = self.paths.updateValue(file, forKey: id) {
                    throw CatalogEditError(
                        description: "\(other) and \(file) are both tables of the reference \"\(id)\"")
                }
            }
        }
    }

    /// Gives each source the items of its table.
    ///
    /// - Throws: `MediaItemTableError` naming file, line and column; `CatalogEditError` for a table that is of no
    ///   source.
    package func described(_ sources: [ReferenceSource]) throws -> [ReferenceSource] {
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
            throw CatalogEditError(
                description: "\(stray): there is no source of this name; tables are named like their sources")
        }
        return sources
    }

    private static func mediaItem(_ path: String) throws -> MediaItem {
        MediaItem(items: try MediaItemTable(contentsOf: path).items)
    }
}

/// A change of a catalog, or tables for it, that cannot be made, and why.
package struct CatalogEditError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(description: String) { self.description = description }
}
