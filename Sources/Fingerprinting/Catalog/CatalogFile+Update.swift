import SystemIO

extension CatalogFile {
    /// Adds references to a catalog file.
    ///
    /// What the file holds is copied, not computed anew, and the memory needed does not grow with it. The new file
    /// takes the old one's place in one step, once all of it is on the disk: whatever happens meanwhile, there is
    /// either the old file or the new one. It has the bytes of a file made of all references at once. Updates wait for
    /// each other; temporary files that a killed one left behind are removed.
    ///
    /// - Parameters:
    ///   - output: where the new file goes; nil for the place of the old one, which otherwise stays as it is.
    ///   - references: come behind those of the file.
    ///   - replacing: whether a reference of the file gives way to a new one of the same identifier; else
    ///     that is an error.
    ///   - willWait: is told when another update must be waited for.
    /// - Returns: how many references gave way.
    /// - Throws: `FingerprintingError` or `FileWriteError`; the file is as it was.
    @discardableResult
    public static func update(
        _ path: String, to output: String? = nil, adding references: some Sequence<Reference>,
        replacing: Bool = false, settings: Settings = Settings(), willWait: () -> Void = {}
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
        return try rewrite(path, to: output, settings: settings, willWait: willWait) { old in
            let taken = try old.places(ofIDs: ids)
            if let first = taken.first, !replacing {
                throw FingerprintingError(
                    .badIdentifier,
                    "\(path): already has a reference \"\(try old.contents.table.id(first))\"; give the new one"
                        + " another identifier, or replace the old one (--replace)")
            }
            return (taken, added)
        }
    }

    /// What is to be done to a catalog file.
    public struct Change {
        /// The identifiers of references that are taken away; each must be there.
        public var removedIDs: Set<String>
        /// References that come behind all others; those of the same identifier are taken away.
        public var added: [Reference]

        /// Makes a change.
        public init(removing removedIDs: Set<String> = [], adding added: [Reference] = []) {
            self.removedIDs = removedIDs
            self.added = added
        }
    }

    /// Changes a catalog file as `change` says of what it holds; in all else as ``update(_:to:adding:replacing:settings:willWait:)``.
    ///
    /// - Returns: how many references were taken away.
    /// - Throws: `FingerprintingError`, `FileWriteError`, or what `change` throws; the file is as it was.
    @discardableResult
    public static func edit(
        _ path: String, to output: String? = nil, settings: Settings = Settings(), willWait: () -> Void = {},
        change: (Catalog) throws -> Change
    ) throws -> Int {
        try rewrite(path, to: output, settings: settings, willWait: willWait) { old in
            let change = try change(old)
            let taken = try old.places(ofIDs: change.removedIDs)
            if taken.count != change.removedIDs.count {
                let known = Set(try taken.map { try old.contents.table.id($0) })
                let unknown = change.removedIDs.subtracting(known).min() ?? ""
                throw FingerprintingError(.badIdentifier, "\(path): has no reference \"\(unknown)\"")
            }
            guard !change.removedIDs.isEmpty || !change.added.isEmpty else {
                throw FingerprintingError(.nothingToDo, "\(path): there is nothing to change")
            }
            var assembly = CatalogAssembly(settings: settings)
            for reference in change.added { try assembly.add(reference) }
            let replaced = try old.places(ofIDs: Set(change.added.map(\.id)))
            return (Set(taken + replaced).sorted(), try assembly.contents())
        }
    }

    private static func rewrite(
        _ path: String, to output: String?, settings: Settings, willWait: () -> Void,
        plan: (Catalog) throws -> (taken: [Int], added: CatalogContents)
    ) throws -> Int {
        let lock = try CatalogLock(path, willWait: willWait)
        let target = output ?? path
        AtomicFile.removeAbandoned(for: target)
        let memory = try FileMemory(
            descriptor: lock.descriptor, path: path, loadingBelow: MappedFile.wholeLimit)
        let old = try catalog(memory, name: path, settings: settings, wholeLimit: MappedFile.wholeLimit)
        let (taken, added) = try plan(old)
        let writer = try CatalogWriter([old.contents, added], removed: [taken, []], settings: settings)
        try AtomicFile.write(to: target) { file in
            try writer.write { try file.append($0) }
            try lock.expectSameFile()
        }
        return taken.count
    }
}

extension Catalog {
    /// The places of the references whose identifiers are among `ids`, in order.
    fileprivate func places(ofIDs ids: Set<String>) throws -> [Int] {
        guard !ids.isEmpty else { return [] }
        return try (0..<contents.table.count).filter { ids.contains(try contents.table.id($0)) }
    }
}
