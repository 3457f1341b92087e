import AudioIO

extension CatalogFile {
    /// Adds references to a catalog file.
    ///
    /// What the file holds is copied, not computed anew, and the memory needed does not grow with it. The new file
    /// takes the old one's place in one step, once all of it is on the disk: whatever happens meanwhile, there is
    /// either the old file or the new one. It has the bytes of a file made of all references at once. Updates wait for
    /// each other; temporary files that a killed one left behind are removed.
    ///
    /// - Parameters:
    ///   - references: come behind those of the file.
    ///   - replacing: whether a reference of the file gives way to a new one of the same identifier; else
    ///     that is an error.
    ///   - willWait: is told when another update must be waited for.
    /// - Returns: how many references gave way.
    /// - Throws: `FingerprintingError` or `FileWriteError`; the file is as it was.
    @discardableResult
    public static func update(
        _ path: String, adding references: some Sequence<Reference>, replacing: Bool = false,
        settings: Settings = Settings(), willWait: () -> Void = {}
    ) throws -> Int {
        var assembly = CatalogAssembly(settings: settings)
        var ids: Set<String> = []
        for reference in references {
            try assembly.add(reference)
            ids.insert(reference.id)
        }
        guard !ids.isEmpty else {
            throw FingerprintingError(.nothingToDo, "\(path): there is no reference to add")
        }
        let added = try assembly.contents()

        let lock = try CatalogLock(path, willWait: willWait)
        AtomicFile.removeAbandoned(for: path)
        let memory = try FileMemory(
            descriptor: lock.descriptor, path: path, loadingBelow: MappedFile.wholeLimit)
        let old = try catalog(memory, name: path, settings: settings, wholeLimit: MappedFile.wholeLimit)
        let taken = try old.places(ofIDs: ids)
        if let first = taken.first, !replacing {
            throw FingerprintingError(
                .badIdentifier,
                "\(path): already has a reference \"\(try old.contents.table.id(first))\"; give the new one"
                    + " another identifier, or replace the old one (--replace)")
        }
        let writer = try CatalogWriter([old.contents, added], removed: taken, settings: settings)
        try AtomicFile.write(to: path) { file in
            try writer.write { try file.append($0) }
            try lock.expectSameFile()
        }
        return taken.count
    }
}

extension Catalog {
    /// The places of the references whose identifiers are among `ids`, in order.
    fileprivate func places(ofIDs ids: Set<String>) throws -> [Int] {
        try (0..<contents.table.count).filter { ids.contains(try contents.table.id($0)) }
    }
}
