extension CorpusRecipe {
    /// Reads the recipe at `path`; its name is the stem of the file's name.
    ///
    /// - Throws: ``ConfigurationError`` with file and line for anything unexpected.
    package init(path: String) throws {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let name = file.hasSuffix(".yaml") ? String(file.dropLast(5)) : file
        try self.init(YAMLReader(path: path), name: name)
        // A path in a recipe is meant from where the recipe lies.
        if case .folder(var folder) = source, !folder.path.hasPrefix("/"), let slash = path.lastIndex(of: "/")
        {
            folder.path = path[...slash] + folder.path
            source = .folder(folder)
        }
    }

    /// Reads a recipe from a document.
    ///
    /// - Throws: ``ConfigurationError`` with file and line for anything unexpected.
    package init(_ document: YAMLReader, name: String) throws {
        let mapping = try document.mapping()
        self.name = name
        description = try mapping.string("description")
        licence = try mapping.string("licence")
        let folder = try mapping["folder"].map { try $0.string() }
        minimumSeconds = try mapping.double(
            "minimumSeconds", default: folder == nil ? 30 : Self.leastFolderSeconds)
        guard minimumSeconds >= 0 else {
            throw try mapping.required("minimumSeconds").error("`minimumSeconds`: expected 0 or more")
        }
        let role = try mapping["role"].map(Self.role) ?? .reference
        let packages = try mapping.list("packages")
        let synthetic = try mapping.mapping("synthetic")
        let files = folder == nil ? [] : try mapping.list("files")
        try mapping.rejectUnknownKeys()

        let kinds = [
            packages.isEmpty ? nil : "packages", synthetic.map { _ in "synthetic" },
            folder.map { _ in "folder" },
        ].compactMap { $0 }
        guard kinds.count == 1 else {
            throw mapping.error(
                "expected one of `packages`, `synthetic` and `folder`, found "
                    + (kinds.isEmpty ? "none" : kinds.joined(separator: " and ")))
        }
        if let synthetic {
            source = .synthetic(try Self.synthetic(synthetic))
        } else if let folder {
            source = .folder(
                Folder(path: folder, files: try files.map { try Self.fileSet($0, role: role) }))
        } else {
            let read = try packages.map { try Self.package($0, role: role) }
            if let twice = Dictionary(grouping: read, by: \.name).first(where: { $0.value.count > 1 })?.key {
                throw mapping.error("the package `\(twice)` is listed twice")
            }
            source = .packages(read)
        }
    }

    private static func role(_ value: YAMLValue) throws -> CorpusRole {
        let word = try value.string()
        guard let role = CorpusRole(word) else {
            let allowed = CorpusRole.all.map(\.description).joined(separator: ", ")
            throw value.error("`role`: expected one of \(allowed), found \"\(word)\"")
        }
        return role
    }

    private static func package(_ value: YAMLValue, role: CorpusRole) throws -> Package {
        let mapping = try value.mapping()
        let name = try mapping.string("name")
        let nameValue = try mapping.required("name")
        let files = try mapping.list("files")
        try mapping.rejectUnknownKeys()
        // The name goes to apt-get and into a path of the cache.
        guard name.wholeMatch(of: /[a-z0-9][a-z0-9+.\-]+/) != nil else {
            throw nameValue.error("`name`: \"\(name)\" cannot be the name of a Debian package")
        }
        guard !files.isEmpty else { throw mapping.error("`files`: expected at least one pattern") }
        return Package(name: name, files: try files.map { try fileSet($0, role: role) })
    }

    private static func fileSet(_ value: YAMLValue, role: CorpusRole) throws -> FileSet {
        guard value.isMapping else { return FileSet(glob: try glob(value), role: role) }
        let mapping = try value.mapping()
        let pattern = try glob(mapping.required("glob"))
        let own = try mapping["role"].map(Self.role) ?? role
        try mapping.rejectUnknownKeys()
        return FileSet(glob: pattern, role: own)
    }

    private static func glob(_ value: YAMLValue) throws -> PathGlob {
        let pattern = try value.string()
        guard !pattern.hasPrefix("/"), !pattern.split(separator: "/").contains(".."), !pattern.isEmpty else {
            throw value.error("expected a pattern relative to the package's root, found \"\(pattern)\"")
        }
        return PathGlob(pattern)
    }

    private static func synthetic(_ mapping: YAMLMapping) throws -> Synthetic {
        let tracks = try mapping.int("tracks")
        let seconds = try mapping.double("seconds")
        let seed = try mapping.int("seed")
        try mapping.rejectUnknownKeys()
        guard (1...10_000).contains(tracks) else {
            throw try mapping.required("tracks").error("`tracks`: expected 1 to 10000, found \(tracks)")
        }
        guard (1...3600).contains(seconds) else {
            throw try mapping.required("seconds").error("`seconds`: expected 1 to 3600, found \(seconds)")
        }
        guard seed >= 0 else { throw try mapping.required("seed").error("`seed`: expected 0 or more") }
        return Synthetic(tracks: tracks, seconds: seconds, seed: UInt64(seed))
    }
}
