import SystemIO

/// A catalog file to write, whose path no other process changes as long as this lives.
///
/// Every function that writes a catalog file does it through this. What was there is locked from `init` on. A file that
/// another process makes meanwhile, where there was none, is locked before it is replaced.
package final class CatalogReplacement {
    private let path: String
    private let longestWait: Double
    private var lock: CatalogLock?

    /// Locks the file at `path` if there is one; calls `willWait` before it waits for another process.
    ///
    /// - Parameters:
    ///   - inputs: The files that the new one is made of. If `path` is one of them, it must exist.
    ///   - longestWait: In seconds.
    /// - Throws: `FingerprintingError.unreadableFile` when the file cannot be opened or locked.
    package init(
        _ path: String, madeOf inputs: [String] = [], longestWait: Double = 600, willWait: () -> Void = {}
    ) throws {
        self.path = path
        self.longestWait = longestWait
        guard FileStamp(path: path) != nil || inputs.contains(path) else { return }
        lock = try CatalogLock(path, longestWait: longestWait, willWait: willWait)
    }

    /// Makes a catalog of references, and writes its file: all of it, or nothing.
    package func write(_ references: [Reference], settings: Settings = Settings()) throws {
        try write(Catalog(references: references, settings: settings))
    }

    func write(_ catalog: Catalog) throws {
        try write(CatalogWriter([catalog.contents], settings: catalog.settings))
    }

    /// Writes a file of the references of all catalogs, except those that `removed` lists for each.
    ///
    /// The memory does not grow with the catalogs. Identifiers must differ.
    ///
    /// - Throws: The errors of `CatalogFile.merged`; `FileWriteError`.
    package func write(merging catalogs: [Catalog], removed: [[Int]]) throws {
        try write(CatalogWriter(merging: catalogs, removed: removed))
    }

    func write(_ writer: CatalogWriter) throws {
        AtomicFile.removeAbandoned(for: path)
        try AtomicFile.write(to: path, willReplace: requireLock) { file in
            try writer.write { try file.append($0) }
        }
    }

    private func requireLock() throws {
        if let lock {
            try lock.expectSameFile()
        } else if FileStamp(path: path) != nil {
            lock = try CatalogLock(path, longestWait: longestWait)
        }
    }
}
