import AudioIO
import Foundation

/// The files of a folder that its recipe takes, each content once.
struct FolderContents: Sendable {
    struct File: Sendable {
        /// The path below the folder, safe in tables; see ``PathText``.
        var id: String
        var path: String
        var role: CorpusRole
        var byteCount: Int
        var sha256: String
    }

    /// The files in the order of their digests, so that names and places change nothing.
    let files: [File]
    private(set) var leftOut: [FolderLock.LeftOut]
    /// Byte-for-byte duplicates, by id, with the file that is used for them.
    let copies: [String: String]

    /// Lists the folder and reads what is new in it.
    ///
    /// - Throws: ``CorpusError`` when there is no such folder.
    init(
        _ folder: CorpusRecipe.Folder, cacheFolder: String, progress: @escaping @Sendable (String) -> Void
    ) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue
        else { throw CorpusError(.unknownCorpus, "\(folder.path): there is no such folder") }
        let root = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        let listing = try AudioFileFinder.listing(under: folder.path)
        leftOut =
            listing.unreadable.map { .init(id: PathText.escaped($0.path), reason: $0.reason) }
            + listing.leftOut.map { .init(id: PathText.escaped($0.path), reason: $0.reason) }
        let offered = listing.files.compactMap { path -> (path: String, below: String, role: CorpusRole)? in
            let below = String(decoding: path.utf8.dropFirst(root.utf8.count), as: UTF8.self)
            return folder.role(of: below).map { (path, below, $0) }
        }
        let entries = try FileIndex(of: folder.path, in: cacheFolder).entries(of: offered.map(\.path)) {
            if $0 == $1 || $0.isMultiple(of: 100) { progress("read \($0) of \($1) new files") }
        }
        var taken: Set<String> = []
        var first: [String: String] = [:]
        var copies: [String: String] = [:]
        var files: [File] = []
        for (offer, entry) in zip(offered, entries) {
            var id = PathText.escaped(offer.below)
            if !taken.insert(id).inserted {
                id = PathText.escaped(offer.below, isPlain: true)
                taken.insert(id)
            }
            guard let entry else {
                leftOut.append(.init(id: id, reason: "cannot be read"))
                continue
            }
            if let original = first[entry.sha256] {
                copies[id] = original
                continue
            }
            first[entry.sha256] = id
            files.append(
                File(
                    id: id, path: offer.path, role: offer.role, byteCount: entry.stamp.byteCount,
                    sha256: entry.sha256))
        }
        self.files = files.sorted { $0.sha256 < $1.sha256 }
        self.copies = copies
    }
}
