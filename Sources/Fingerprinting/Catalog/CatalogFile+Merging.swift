extension CatalogFile {
    /// Files below this size are read into memory by `load`, so that they may be changed afterwards.
    private static let copyLimit = 1 << 28

    /// Opens a catalog file that others may change in place later: one below 256 MB is copied, a larger one mapped.
    ///
    /// - Throws: what `open` throws.
    package static func load(_ path: String) throws -> Catalog {
        let memory = try FileMemory(
            path: path, loadingBelow: MappedFile.wholeLimit, copyingBelow: copyLimit)
        return try catalog(
            memory, name: path, settings: Settings(), wholeLimit: MappedFile.wholeLimit)
    }

    /// A catalog in memory of the references of all catalogs, without those at the places that `removed` lists for each.
    ///
    /// What the catalogs hold is copied, not computed anew. Their identifiers must differ.
    ///
    /// - Throws: `FingerprintingError` when a catalog's file is damaged, or when there is more than one can hold.
    package static func merged(
        _ catalogs: [Catalog], removed: [[Int]], settings: Settings = Settings()
    ) throws -> Catalog {
        let collected = CollectedBytes()
        try CatalogWriter(catalogs.map(\.contents), removed: removed, settings: settings)
            .write(to: collected.append)
        return try decode(collected.bytes, name: "the catalog in memory", settings: settings)
    }
}
