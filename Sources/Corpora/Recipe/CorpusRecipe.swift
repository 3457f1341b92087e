import Foundation
import SystemIO

package struct CorpusRecipe: Hashable, Sendable {
    package struct Package: Hashable, Sendable {
        package var name: String
        package var files: [FileSet]
    }

    package struct FileSet: Hashable, Sendable {
        /// The pattern, relative to the root of the package's file tree.
        package var glob: PathGlob
        package var role: CorpusRole
    }

    package struct Synthetic: Hashable, Sendable {
        package var tracks: Int
        package var seconds: Double
        package var seed: UInt64
    }

    package struct Folder: Hashable, Sendable {
        /// The path of the folder; it is only read.
        package var path: String
        /// Which files of it, in order of precedence; none takes every audio file for a reference.
        package var files: [FileSet]
        /// Whether all references are enrolled and queried, however many they are.
        package var isUndivided = false
    }

    /// Scores that fluidsynth plays with sound fonts, each as several recordings.
    package struct Renditions: Hashable, Sendable {
        package struct Font: Hashable, Sendable {
            package var package: String
            package var file: String
        }

        package struct Half: Hashable, Sendable {
            package var font: Font
            package var otherFont: Font
            package var scores: [Package]
        }

        /// How much of each piece is played.
        package var seconds: Double
        package var halves: [CorpusHalf: Half]

        /// The packages of scores and fonts, each once.
        fileprivate var packages: [Package] {
            let all = halves.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { _, half in
                half.scores
                    + [half.font, half.otherFont].map { font in
                        Package(
                            name: font.package,
                            files: [FileSet(glob: PathGlob(font.file), role: .reference)])
                    }
            }
            return Dictionary(grouping: all, by: \.name).sorted { $0.key < $1.key }
                .map { Package(name: $0, files: $1.flatMap(\.files)) }
        }
    }

    package enum Source: Hashable, Sendable {
        case packages([Package])
        case synthetic(Synthetic)
        case renditions(Renditions)
        case folder(Folder)
    }

    package var name: String
    package var description: String
    package var licence: String
    /// Recordings shorter than this are locked but never used, in seconds.
    package var minimumSeconds: Double
    /// Whether only an exam may ask queries of it; all its references are then enrolled and queried.
    package var isExam = false
    package var source: Source

    package var packages: [Package] {
        switch source {
        case .packages(let packages): packages
        case .renditions(let renditions): renditions.packages
        case .synthetic, .folder: []
        }
    }

    package var renditions: Renditions? {
        if case .renditions(let renditions) = source { renditions } else { nil }
    }

    package var folder: Folder? {
        if case .folder(let folder) = source { folder } else { nil }
    }

    package func fileSet(package: String, path: String) -> FileSet? {
        packages.first { $0.name == package }?.files.first { $0.glob.matches(path) }
    }

    /// A short name for a file, stable as long as the recipe's patterns are: the package, then
    /// the path below the pattern's literal prefix.
    package func identifier(package: String, path: String) -> String? {
        guard let set = fileSet(package: package, path: path) else { return nil }
        let prefix = set.glob.literalPrefix
        let short = prefix.isEmpty ? path : String(path.dropFirst(prefix.count + 1))
        return "\(package)/\(short)"
    }
}

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
        let renditions = try mapping.mapping("renditions")
        let files = folder == nil ? [] : try mapping.list("files")
        isExam = try mapping.bool("exam", default: false)
        try mapping.rejectUnknownKeys()
        if isExam, renditions != nil {
            throw try mapping.required("exam").error("`exam`: expected no `renditions`, which have halves")
        }

        let kinds = [
            packages.isEmpty ? nil : "packages", synthetic.map { _ in "synthetic" },
            renditions.map { _ in "renditions" }, folder.map { _ in "folder" },
        ].compactMap { $0 }
        guard kinds.count == 1 else {
            throw mapping.error(
                "expected one of `packages`, `synthetic`, `renditions` and `folder`, found "
                    + (kinds.isEmpty ? "none" : kinds.joined(separator: " and ")))
        }
        if let synthetic {
            source = .synthetic(try Self.synthetic(synthetic))
        } else if let renditions {
            source = .renditions(try Renditions(renditions))
        } else if let folder {
            source = .folder(
                Folder(
                    path: folder, files: try files.map { try Self.fileSet($0, role: role) },
                    isUndivided: isExam))
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

    fileprivate static func package(_ value: YAMLValue, role: CorpusRole) throws -> Package {
        let mapping = try value.mapping()
        let name = try mapping.string("name")
        let nameValue = try mapping.required("name")
        let files = try mapping.list("files")
        try mapping.rejectUnknownKeys()
        try check(package: name, at: nameValue)
        guard !files.isEmpty else { throw mapping.error("`files`: expected at least one pattern") }
        return Package(name: name, files: try files.map { try fileSet($0, role: role) })
    }

    /// The name goes to apt-get and into a path of the cache.
    fileprivate static func check(package name: String, at value: YAMLValue) throws {
        guard name.wholeMatch(of: /[a-z0-9][a-z0-9+.\-]+/) != nil else {
            throw value.error("`name`: \"\(name)\" cannot be the name of a Debian package")
        }
    }

    private static func fileSet(_ value: YAMLValue, role: CorpusRole) throws -> FileSet {
        guard value.isMapping else { return FileSet(glob: try glob(value), role: role) }
        let mapping = try value.mapping()
        let pattern = try glob(mapping.required("glob"))
        let own = try mapping["role"].map(Self.role) ?? role
        try mapping.rejectUnknownKeys()
        return FileSet(glob: pattern, role: own)
    }

    fileprivate static func glob(_ value: YAMLValue) throws -> PathGlob {
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

extension CorpusRecipe.Renditions {
    fileprivate init(_ mapping: YAMLMapping) throws {
        seconds = try mapping.double("seconds")
        guard (16...600).contains(seconds) else {
            throw try mapping.required("seconds").error("`seconds`: expected 16 to 600, found \(seconds)")
        }
        halves = [:]
        for half in CorpusHalf.allCases { halves[half] = try Half(mapping.required(half.rawValue).mapping()) }
        try mapping.rejectUnknownKeys()
        let fonts = halves.values.flatMap { [$0.font, $0.otherFont] }
        guard Set(fonts).count == fonts.count else {
            throw mapping.error("expected four different sound fonts: the halves share none")
        }
    }
}

extension CorpusRecipe.Renditions.Half {
    fileprivate init(_ mapping: YAMLMapping) throws {
        func font(_ key: String) throws -> CorpusRecipe.Renditions.Font {
            let font = try mapping.required(key).mapping()
            let name = try font.string("package")
            try CorpusRecipe.check(package: name, at: font.required("package"))
            let file = try CorpusRecipe.glob(font.required("file")).pattern
            guard !file.contains("*"), !file.contains("?") else {
                throw try font.required("file").error("`file`: expected the path of one file")
            }
            try font.rejectUnknownKeys()
            return .init(package: name, file: file)
        }
        self.font = try font("font")
        otherFont = try font("otherFont")
        scores = try mapping.list("scores").map { try CorpusRecipe.package($0, role: .reference) }
        try mapping.rejectUnknownKeys()
        if scores.isEmpty { throw mapping.error("`scores`: expected at least one package") }
    }
}

extension CorpusRecipe {
    /// The default least length of recordings of a folder, in seconds.
    package static let leastFolderSeconds = 8.0

    package init(folder path: String, minimumSeconds: Double = leastFolderSeconds) {
        let last = URL(fileURLWithPath: path).standardizedFileURL.lastPathComponent
        // Names of folders and columns of tables contain the name, so it must be safe.
        let short = slug(last).prefix(40)
        self.init(
            name: short.isEmpty ? "folder" : "folder-\(short)", description: "The recordings in \(path).",
            licence: "the owner's", minimumSeconds: minimumSeconds,
            source: .folder(Folder(path: path, files: [])))
    }
}

extension CorpusRecipe.Folder {
    package static let package = "folder"

    /// What the file at `path`, relative to the folder, is for; nil when no pattern takes it.
    package func role(of path: String) -> CorpusRole? {
        files.isEmpty ? .reference : files.first { $0.glob.matches(path) }?.role
    }
}
