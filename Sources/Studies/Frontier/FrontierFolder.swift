import Evaluation
import Foundation

/// The folder of a search for limits: its store of trials, held by one process at a time.
package final class FrontierFolder {
    package let path: String
    package let store: TrialStore
    private let lock: RunLock

    /// Separate from trials of a plan, because these are no fair sample: most are near a limit.
    private static let storeName = "frontier.sqlite"

    package static func isOne(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/" + storeName)
    }

    /// Opens the folder at `path` and makes it if there is none.
    ///
    /// - Throws: ``StoreError`` when it cannot be made or written, or another process holds it.
    package init(path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StoreError(path: path, message: "the folder cannot be made: \(error.localizedDescription)")
        }
        self.path = path
        lock = try RunLock(folder: path)
        store = try TrialStore(path: path + "/" + Self.storeName)
    }

    /// The finished search of the folder.
    ///
    /// - Throws: ``StoreError`` when there is none, or more than one.
    package func onlySearch() throws -> (key: TrialStore.RunKey, facts: RunFacts) {
        let runs = try store.runs()
        guard let run = runs.first, runs.count == 1 else {
            throw StoreError(
                path: store.path,
                message: runs.isEmpty
                    ? "holds no finished search"
                    : "holds \(runs.count) searches; expected one. Use a folder for each",
                kind: runs.isEmpty ? .unfinishedSearch : nil)
        }
        return run
    }
}
