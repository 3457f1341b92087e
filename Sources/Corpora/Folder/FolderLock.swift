import AudioCore
import AudioIO
import Foundation
import Matchers
import SystemIO

/// What a folder of recordings of one's own was found to hold: its lock, and what is not in it.
struct FolderLock: Codable, Sendable {
    /// A file that is not used, and why.
    struct LeftOut: Codable, Hashable, Sendable {
        /// Its path below the folder.
        var id: String
        /// Why.
        var reason: String
    }

    /// The text of the ``CorpusLock``.
    var text: String
    /// Files that cannot be decoded.
    var leftOut: [LeftOut]
    /// Why the recordings were not compared with each other; nil when they were.
    var notCompared: String?

    /// Whether it calls each file as `contents` does; else it is made anew.
    func names(_ contents: FolderContents) -> Bool {
        guard let lock = try? CorpusLock(text: text, name: "kept lock") else { return false }
        let digests = Dictionary(lock.files.map { ($0.path, $0.sha256) }, uniquingKeysWith: { $1 })
        let unused = Set(leftOut.map(\.id))
        return digests.count + unused.count == contents.files.count
            && contents.files.allSatisfy { digests[$0.id] == $0.sha256 || unused.contains($0.id) }
    }
}

/// How the recordings of a folder are compared with each other when its lock is made.
package struct FolderComparison: Sendable {
    /// Makes a matcher that has learnt nothing yet and names several references even where one fits perfectly.
    let matcher: @Sendable () throws -> any Matcher
    /// Told what is being done, from any thread.
    let progress: @Sendable (String) -> Void

    /// Compares by the matchers that `matcher` makes.
    package init(
        matcher: @escaping @Sendable () throws -> any Matcher,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.matcher = matcher
        self.progress = progress
    }
}

extension CorpusLibrary {
    /// Lists a folder and gives its lock, from the cache where a folder of the same contents was locked before.
    ///
    /// - Throws: ``CorpusError`` when there is no such folder, or its lock would have to be made and there is
    ///   nothing to compare recordings by.
    func folderLock(
        of recipe: CorpusRecipe, _ folder: CorpusRecipe.Folder
    ) throws -> (contents: FolderContents, kept: FolderLock) {
        guard let comparison else {
            throw CorpusError(
                .notLocked,
                "\(folder.path): its recordings have not been compared with each other")
        }
        let contents = try FolderContents(folder, cacheFolder: cacheFolder, progress: comparison.progress)
        let matcher = try comparison.matcher()
        let path = "\(cacheFolder)/folders/\(Self.identity(of: contents, recipe, matcher)).lock"
        if let data = FileManager.default.contents(atPath: path),
            let kept = try? JSONDecoder().decode(FolderLock.self, from: data),
            kept.names(contents)
        {
            return (contents, kept)
        }
        let kept = try CorpusLocker.lock(
            contents, of: recipe, matcher: matcher, progress: comparison.progress)
        try FileTree.createFolder("\(cacheFolder)/folders")
        try AtomicFile.write([UInt8](JSONEncoder().encode(kept)), to: path)
        return (contents, kept)
    }

    /// The digest of everything that a lock depends on but the names of the files.
    private static func identity(
        of contents: FolderContents, _ recipe: CorpusRecipe, _ matcher: any Matcher
    ) -> String {
        var parts = ["folder lock 1", "\(recipe.minimumSeconds)", matcher.name, matcher.version]
        parts += AudioLibraryVersions.all.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        parts += contents.files.map { "\($0.role) \($0.sha256)" }
        return Digest.sha256(parts.joined(separator: "\n"))
    }
}
