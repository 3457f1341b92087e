import Corpora
import Foundation

/// A part of the cache; what it lacks is made or fetched again.
package enum CachePart: String, CaseIterable, Sendable {
    /// The samples of rendered queries.
    case queries
    /// Facts of queries, answers to them, and digests of matchers.
    case answers
    /// The recordings of corpora.
    case packages
    /// What programs decoded of them, and music made by a formula.
    case decoded
    /// The checksums and locks of folders of recordings.
    case folders

    /// The folder of a ``TrialCache``.
    package static func trialFolder(in library: CorpusLibrary) -> String {
        library.cacheFolder + "/evaluation"
    }

    /// The bytes of its files.
    package func byteCount(in library: CorpusLibrary) -> Int {
        files(in: library).reduce(0) { sum, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// Removes its files; other processes may be using the cache.
    package func clear(in library: CorpusLibrary) throws {
        if self == .answers { try TrialCache.forget(folder: Self.trialFolder(in: library)) }
        for path in files(in: library) where self != .answers || !Self.isDatabase(path) {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch  where FileManager.default.fileExists(atPath: path) {
                throw StoreError(path: path, message: "cannot be removed: \(error.localizedDescription)")
            }
        }
    }

    private func files(in library: CorpusLibrary) -> [String] {
        let folder =
            switch self {
            case .queries: Self.trialFolder(in: library) + "/queries"
            case .answers: Self.trialFolder(in: library)
            case .packages, .decoded, .folders: "\(library.cacheFolder)/\(rawValue)"
            }
        let paths = (try? FileTree.regularFiles(under: folder)) ?? []
        return paths.filter { path in
            // Queries are beside answers. A removed lock would let a second process in.
            let isLock = path.hasPrefix(".") && path.hasSuffix(".lock")
            return !isLock && (self != .answers || Self.isDatabase(path) || path.hasPrefix("matchers/"))
        }.map { "\(folder)/\($0)" }
    }

    private static func isDatabase(_ path: String) -> Bool {
        path.split(separator: "/").last?.hasPrefix("trials.sqlite") == true
    }
}
