import AudioIO
import Foundation

package struct QueryFiles {
    package struct File {
        package let path: String
        /// SHA-256 of its bytes, in hexadecimal; nil when they cannot be read.
        package let sha256: String?
        /// The length in seconds; nil when it cannot be decoded or was not requested.
        package let seconds: Double?
    }

    private let files: [String: File]
    private let problems: [String: String]

    /// Looks for each of `names` in `folder` and reads files that are new.
    ///
    /// - Parameter measured: The names whose length is wanted.
    /// - Throws: `AudioFileError` when there is no such folder, ``CorpusError`` when none of the files exists.
    package init(
        _ names: [String], measured: Set<String>, in folder: String, library: CorpusLibrary
    ) throws {
        let root = folder.hasSuffix("/") ? folder : folder + "/"
        let listing = try AudioFileFinder.listing(under: folder)
        let find = FileNames(
            listing.files.map { String(decoding: $0.utf8.dropFirst(root.utf8.count), as: UTF8.self) })
        var paths: [String: String] = [:]
        var problems: [String: String] = [:]
        for name in names {
            let direct = name.hasPrefix("/") ? name : root + name
            if FileManager.default.fileExists(atPath: direct) {
                paths[name] = direct
                continue
            }
            switch find(name) {
            case .one(let path): paths[name] = root + path
            case .none: problems[name] = "\(name): there is no such file in \(folder)"
            case .several(let found):
                problems[name] = "\(name): may be \(found.prefix(5).joined(separator: " or ")) in \(folder)"
            }
        }
        guard !paths.isEmpty else {
            throw CorpusError(
                .unreadable,
                "\(folder): none of the \(names.count) queries is in this folder; the first is \(names.first ?? "none")"
            )
        }
        let found = paths.keys.sorted()
        let entries = try FileIndex(of: folder, in: library.cacheFolder).entries(
            of: found.map { paths[$0] ?? "" }, measured: found.map(measured.contains)
        ) {
            if $0 == $1 || $0.isMultiple(of: 100) {
                library.comparison?.progress("read \($0) of \($1) queries")
            }
        }
        self.problems = problems
        files = Dictionary(
            uniqueKeysWithValues: zip(found, entries).map { name, entry in
                (name, File(path: paths[name] ?? "", sha256: entry?.sha256, seconds: entry?.seconds))
            })
    }

    package func file(_ name: String) -> File? { files[name] }

    package func problem(_ name: String) -> String? { problems[name] }
}
