import AudioIO
import Foundation
import Matchers
import SystemIO

/// The lock of a folder of recordings, and what it leaves out.
struct FolderLock: Codable, Sendable {
    struct LeftOut: Codable, Hashable, Sendable {
        var id: String
        var reason: String
    }

    var text: String
    var leftOut: [LeftOut]
    /// Why the recordings were not compared with each other; nil when they were.
    var notCompared: String?

    /// Whether the ids equal those of `contents`; else a new lock is made.
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
    /// Makes a matcher without references that names several references even if one fits perfectly.
    let matcher: @Sendable () throws -> any Matcher
    /// Receives what is being done, from any thread.
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
    /// Lists a folder and gives its lock, from the cache if a folder of the same contents was locked before.
    ///
    /// Where the cache cannot be written, nothing is kept. `comparison` reports that before the recordings are compared.
    ///
    /// - Throws: ``CorpusError`` when there is no such folder, or when a new lock is needed and
    ///   ``CorpusLibrary/comparison`` is nil.
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
        let folder = "\(cacheFolder)/folders"
        try? FileTree.createFolder(folder)
        let isWritable = FileManager.default.isWritableFile(atPath: folder)
        if !isWritable {
            comparison.progress("\(folder) cannot be written: every run compares the recordings")
        }
        let kept = try CorpusLocker.lock(
            contents, of: recipe, matcher: matcher, progress: comparison.progress)
        guard isWritable else { return (contents, kept) }
        do {
            try AtomicFile.write([UInt8](JSONEncoder().encode(kept)), to: path)
        } catch {
            comparison.progress("\(error): the next run compares the recordings again")
        }
        return (contents, kept)
    }

    /// The digest of everything that a lock depends on except the names of the files.
    private static func identity(
        of contents: FolderContents, _ recipe: CorpusRecipe, _ matcher: any Matcher
    ) -> String {
        var parts = ["folder lock 1", "\(recipe.minimumSeconds)", matcher.name, matcher.version]
        parts += AudioLibraryVersions.all.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        parts += contents.files.map { file in
            let program = AudioLibraryVersions.program(decodingFileAt: file.path)
            return "\(file.role) \(file.sha256)" + (program.map { " \($0)" } ?? "")
        }
        return Digest.sha256(parts.joined(separator: "\n"))
    }
}
