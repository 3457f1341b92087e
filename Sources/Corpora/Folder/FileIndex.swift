import AudioCore
import AudioIO
import Foundation
import SystemIO

/// The digests of files that were read before, by absolute path and stamp.
///
/// It is kept in the cache, so that a folder is read again only where something changed.
package struct FileIndex: Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        var stamp: FileStamp
        var sha256: String
        /// The length in seconds, 0 when it cannot be decoded; nil when not requested.
        var measuredSeconds: Double?

        /// The length in seconds; nil when it cannot be decoded or was not requested.
        var seconds: Double? { measuredSeconds.flatMap { $0 > 0 ? $0 : nil } }
    }

    private let path: String
    private let known: [String: Entry]

    /// Opens the index of the files below `folder`; an unreadable index counts as empty.
    package init(of folder: String, in cacheFolder: String) {
        let identity = Digest.sha256(URL(fileURLWithPath: folder).standardizedFileURL.path)
        path = "\(cacheFolder)/folders/\(identity.prefix(32)).index"
        known =
            FileManager.default.contents(atPath: path)
            .flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:]
    }

    /// The entries of the files at `paths`; reads files whose stamp is new, and stores their entries.
    ///
    /// - Parameters:
    ///   - measured: The paths whose length is wanted, which takes decoding. The default is none.
    ///   - progress: Receives the number of files read, and of those to read.
    /// - Returns: Nil for a file that cannot be read to its end.
    package func entries(
        of paths: [String], measured: [Bool]? = nil,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> [Entry?] {
        let stamps = paths.map(FileStamp.init(path:))
        let keys = paths.map(Self.key)
        let fresh = paths.indices.filter { index in
            guard let stamp = stamps[index] else { return false }
            guard let entry = known[keys[index]], entry.stamp == stamp else { return true }
            return measured?[index] == true && entry.measuredSeconds == nil
        }
        let read = try ParallelMap.map(
            fresh.count, jobs: ProcessInfo.processInfo.activeProcessorCount,
            progress: { progress($0, fresh.count) }
        ) { number -> Entry? in
            let index = fresh[number]
            guard let stamp = stamps[index], let digest = Digest.sha256(ofFile: paths[index]) else {
                return nil
            }
            let seconds =
                measured?[index] == true ? (try? AudioFile.read(paths[index]).durationSeconds) ?? 0 : nil
            return Entry(stamp: stamp, sha256: digest, measuredSeconds: seconds)
        }
        let news = Dictionary(uniqueKeysWithValues: zip(fresh, read))
        let entries = paths.indices.map { index -> Entry? in
            guard stamps[index] != nil else { return nil }
            return news[index] ?? known[keys[index]]
        }
        if !fresh.isEmpty { keep(keys, entries) }
        return entries
    }

    /// The path in the index: the same from every folder and through every link.
    private static func key(_ path: String) -> String {
        // Names that differ only in how letters are composed are equal as texts, and yet two files.
        PathText.escaped(URL(fileURLWithPath: path).standardizedFileURL.path, isPlain: true)
    }

    /// Stores entries beside those of other files that still exist.
    ///
    /// A failure costs time only.
    private func keep(_ keys: [String], _ entries: [Entry?]) {
        var all = known.filter { FileManager.default.fileExists(atPath: PathText.unescaped($0.key)) }
        for (key, entry) in zip(keys, entries) { all[key] = entry }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let data = try? JSONEncoder().encode(all), (try? FileTree.createFolder(folder)) != nil
        else { return }
        try? AtomicFile.write([UInt8](data), to: path)
    }
}
