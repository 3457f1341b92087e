import Foundation
import SystemIO

/// The folder of a run or a study with its store of trials; one process at a time may open it.
public final class RunFolder: Sendable {
    /// The path of the folder.
    public let path: String
    /// The outcomes of the run.
    public let store: TrialStore
    private let lock: RunLock?

    /// Opens or creates the run folder at `path`.
    ///
    /// - Throws: ``StoreError`` if it cannot be created or written, or another run has it open.
    public convenience init(path: String) throws {
        do { try SyncedFolder.make(path) } catch {
            throw StoreError(
                path: path, message: "cannot create the run folder: \(String(cString: strerror(error.code)))")
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
        store = try TrialStore(copying: Self.storePath(in: path))
    }

    /// Opens or creates the store of a folder that the caller keeps locked.
    package init(locked path: String) throws {
        self.path = path
        lock = nil
        store = try TrialStore(path: Self.storePath(in: path))
    }

    private init(opening path: String) throws {
        self.path = path
        lock = try RunLock(folder: path)
        store = try TrialStore(path: Self.storePath(in: path))
    }

    private static func requireStore(in path: String) throws {
        let file = storePath(in: path)
        guard FileManager.default.fileExists(atPath: file) else {
            throw StoreError(
                path: file, message: "there is no store of trials", kind: .noStore)
        }
    }

    /// The store of a folder, there or not; that of a study of an earlier version has another name.
    private static func storePath(in folder: String) -> String {
        let paths = ["trials.sqlite", "study.sqlite"].map { "\(folder)/\($0)" }
        return paths.first(where: FileManager.default.fileExists(atPath:)) ?? paths[0]
    }

    /// The finished run of the folder; of several versions of one matcher on one plan, that which began last.
    ///
    /// - Throws: ``StoreError`` if there is none, runs of several plans or matchers, or only a shard.
    public func onlyRun() throws -> (records: [TrialRecord], facts: RunFacts) {
        let run = try theRun()
        return (try store.records(of: run.key, run.facts), run.facts)
    }

    func theRun() throws -> (key: TrialStore.RunKey, facts: RunFacts) {
        if try holdsStudies {
            throw StoreError(path: store.path, message: "holds a study, expected a run", kind: .noStore)
        }
        let runs = try store.runs().sorted { $0.facts.startedAt < $1.facts.startedAt }
        guard let run = runs.last,
            runs.allSatisfy({ $0.key.plan == run.key.plan && $0.facts.matcher.name == run.facts.matcher.name }
            )
        else {
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
        return run
    }
}

extension RunFolder {
    /// Whether the folder holds studies and no run of a plan.
    package var holdsStudies: Bool {
        get throws {
            let runs = try store.storedRuns()
            return !runs.isEmpty && runs.allSatisfy { $0.facts.study != nil }
        }
    }

    /// - Throws: ``StoreError`` if the folder holds none or several.
    package func onlyStudy() throws -> StoredRun {
        let studies = try store.storedRuns().filter { $0.facts.study != nil }
        guard let study = studies.first, studies.count == 1 else {
            throw StoreError(
                path: store.path, message: "holds \(studies.count) studies; expected one")
        }
        return study
    }

    /// - Throws: ``StoreError`` if the folder holds none or several, only a shard, or not all trials.
    package func finishedStudy() throws -> StoredRun {
        let study = try onlyStudy()
        if let shard = study.facts.shard {
            throw StoreError(path: path, message: "holds shard \(shard) of a study; merge all shards first")
        }
        guard study.isFinished else {
            throw StoreError(
                path: path,
                message: "the study is not finished: it holds \(study.doneCount) of \(study.size) trials; "
                    + "run it again to finish it")
        }
        return study
    }
}
