/// What a corpus is made of: the content of one file `Corpora/NAME.yaml`.
package struct CorpusRecipe: Hashable, Sendable {
    package struct Package: Hashable, Sendable {
        package var name: String
        /// Which files of it, in order of precedence.
        package var files: [FileSet]
    }

    package struct FileSet: Hashable, Sendable {
        /// The pattern, relative to the root of the package's file tree.
        package var glob: PathGlob
        package var role: CorpusRole
    }

    /// Music made by ``SyntheticMusic`` instead of being fetched.
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
    }

    package enum Source: Hashable, Sendable {
        case packages([Package])
        case synthetic(Synthetic)
        case folder(Folder)
    }

    package var name: String
    package var description: String
    package var licence: String
    /// Recordings shorter than this are locked but never used, in seconds.
    package var minimumSeconds: Double
    package var source: Source

    /// Its packages; none where the audio comes from elsewhere.
    package var packages: [Package] {
        if case .packages(let packages) = source { packages } else { [] }
    }

    /// Its folder, where it is recordings of one's own.
    package var folder: Folder? {
        if case .folder(let folder) = source { folder } else { nil }
    }

    /// The first set of files that `path` in `package` falls into.
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
