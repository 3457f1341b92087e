import Foundation

/// The folder of a run with its store of trials; one process at a time may open it.
public final class RunFolder {
    /// The path of the folder.
    public let path: String
    /// The outcomes of the run.
    public let store: TrialStore
    private let lock: RunLock?

    /// Opens or creates the run folder at `path`.
    ///
    /// - Throws: ``StoreError`` if it cannot be created or written, or another run has it open.
    public convenience init(path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                path: path, message: "cannot create the run folder: \(error.localizedDescription)")
        }
        try self.init(opening: path)
    }

    /// Opens the folder of an earlier run.
    ///
    /// - Throws: ``StoreError`` if there is no store, or another run has it open.
    public convenience init(existing path: String) throws {
        try Self.requireStore(in: path)
        try self.init(opening: path)
    }

    /// Opens the folder of an earlier run for reading; nothing in it changes.
    ///
    /// - Throws: ``StoreError`` if there is no store, or another run has it open.
    public init(reading path: String) throws {
        try Self.requireStore(in: path)
        self.path = path
        lock = nil
        store = try TrialStore(copying: path + "/" + Self.storeName)
    }

    private static func requireStore(in path: String) throws {
        let file = path + "/" + storeName
        guard FileManager.default.fileExists(atPath: file) else {
            throw StoreError(
                path: file, message: "there is no store of trials", kind: .noStore)
        }
    }

    package static let storeName = "trials.sqlite"

    private init(opening path: String) throws {
        self.path = path
        lock = try RunLock(folder: path)
        store = try TrialStore(path: path + "/" + Self.storeName)
    }

    /// The finished run of the folder.
    ///
    /// - Throws: ``StoreError`` if there is none, more than one, or only a shard.
    public func onlyRun() throws -> (records: [TrialRecord], facts: RunFacts) {
        let runs = try store.runs()
        guard let run = runs.first, runs.count == 1 else {
            throw StoreError(
                path: store.path,
                message: runs.isEmpty
                    ? "holds no finished run"
                    : "holds \(runs.count) runs; expected one. Evaluate each into a folder of its own",
                kind: runs.isEmpty ? .unfinishedRun : nil)
        }
        if let shard = run.facts.shard {
            throw StoreError(
                path: store.path,
                message: "holds only shard \(shard) of a run", kind: .shardOnly)
        }
        return (try store.records(of: run.key, run.facts), run.facts)
    }
}
