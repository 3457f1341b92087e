import Corpora
import Foundation
import SystemIO

/// A file of the cache with the digest of a matcher's answers, for processes in which the same decides them.
///
/// The file has a digest of its own. A damaged file counts as missing.
package struct KeptDigest {
    /// The folder of these files in the cache.
    package static var standardFolder: String { CorpusLibrary.standardCacheFolder + "/evaluation/matchers" }

    private let key: String
    private let path: String

    /// - Parameter deciding: everything that decides the answers.
    init(of deciding: [String], in folder: String) {
        key = Digest.sha256(deciding.joined(separator: "\n"))
        path = "\(folder)/\(key)"
    }

    func read() -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let digest = String(text.prefix { $0 != "\n" })
        return text == self.text(digest) ? digest : nil
    }

    /// Keeps a digest, unless the cache cannot be written.
    func write(_ digest: String) {
        try? FileTree.createFolder((path as NSString).deletingLastPathComponent)
        try? AtomicFile.write(text(digest), to: path)
    }

    private func text(_ digest: String) -> String { "\(digest)\n\(Digest.sha256(key + digest))\n" }
}

/// The files whose code the process has loaded.
enum LoadedFiles {
    /// Path and stamp of each file: other contents have another stamp.
    static var stamps: [String] {
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8) else { return [] }
        let paths = maps.split(separator: "\n").compactMap { line -> String? in
            // Range, permissions, offset, device, inode and path.
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            return words.count == 6 && words[1].contains("x") && words[5].hasPrefix("/")
                ? String(words[5]) : nil
        }
        return Set(paths).sorted().map { path in
            "\(path) \(FileStamp(path: path).map { "\($0)" } ?? "unreadable")"
        }
    }
}
