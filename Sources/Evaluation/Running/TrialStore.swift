import Foundation
import GRDB

/// The records of trials in one SQLite file, so that a killed run can resume.
///
/// The key of a record is plan digest, matcher digest, kind and trial. Each record is committed at once, with a digest
/// that every read checks. Write-ahead logging keeps the file consistent after a kill at any moment.
public final class TrialStore: Sendable {
    let database: GuardedDatabase
    /// What keeps the file, if it is a private copy.
    private let copy: StoreCopy?

    /// Opens or creates the store at `path`.
    ///
    /// - Throws: ``StoreError`` when the file is no store, or another version wrote it.
    public init(path: String) throws {
        database = try GuardedDatabase(path: path, migrator: Self.migrator)
        copy = nil
    }

    /// Opens a private copy of the store at `path`, whose folder stays as it is.
    ///
    /// - Throws: ``StoreError`` when it cannot be copied, is no store, is damaged, or another version wrote it.
    package init(copying path: String) throws {
        let copy = try StoreCopy(of: path)
        database = try GuardedDatabase(
            path: copy.path, called: path, syncsEachCommit: false, migrator: Self.migrator)
        self.copy = copy
        try verify()
    }

    package var path: String { database.path }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("run store 3") { database in
            // Without an index of its own, so that no damage hides a row from a scan.
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS record (plan TEXT NOT NULL, matcher TEXT NOT NULL, kind TEXT NOT NULL,
                        trial TEXT NOT NULL, position INTEGER NOT NULL, content BLOB NOT NULL,
                        digest TEXT NOT NULL, PRIMARY KEY (plan, matcher, kind, trial)) WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("run store 4", migrate: StudyRows.convert)
        // Its latencies have passes.
        migrator.registerMigration("run store 5") { _ in }
        return migrator
    }

    /// The key of a run: its plan and its matcher.
    public struct RunKey: Codable, Sendable, Hashable {
        package var plan: String
        package var matcher: String

        package init(plan: String, matcher: String) {
            self.plan = plan
            self.matcher = matcher
        }
    }

    /// The names of the finished trials.
    public func finishedTrials(of run: RunKey) throws -> Set<String> { try names(of: .trial, in: run) }

    /// The names of the trials with a measured latency.
    public func timedTrials(of run: RunKey) throws -> Set<String> { try names(of: .latency, in: run) }

    /// Stores or replaces one record.
    public func save(_ record: TrialRecord, of run: RunKey) throws {
        try save(record, as: .trial, of: record.trial.id, at: record.trial.index, in: run)
    }

    package func save(_ latency: TrialRecord.Latency, of trial: String, in run: RunKey) throws {
        try save(latency, as: .latency, of: trial, in: run)
    }

    /// The number of passes that measured the latency of each timed trial.
    package func latencyPasses(of run: RunKey) throws -> [String: Int] {
        let latencies = try contents(TrialRecord.Latency.self, as: .latency, in: run)
        return Dictionary(uniqueKeysWithValues: latencies.map { ($0.trial, $0.content.passes.count) })
    }

    /// Adds a pass to the latency of a trial.
    package func add(_ pass: TrialRecord.Latency.Pass, of trial: String, in run: RunKey) throws {
        var latency =
            try content(TrialRecord.Latency.self, as: .latency, of: trial, in: run)
            ?? TrialRecord.Latency(passes: [])
        latency.passes.append(pass)
        try save(latency, of: trial, in: run)
    }

    /// Stores the facts of a run for its report.
    public func save(_ facts: RunFacts, of run: RunKey) throws { try save(facts, as: .facts, in: run) }

    /// The finished runs of plans.
    public func runs() throws -> [(key: RunKey, facts: RunFacts)] {
        try facts(as: .facts).filter { $0.facts.study == nil }
    }

    /// All records of a run in plan order, each with its latency if measured.
    public func records(of run: RunKey) throws -> [TrialRecord] {
        let latencies = try contents(TrialRecord.Latency.self, as: .latency, in: run)
        let latency = Dictionary(uniqueKeysWithValues: latencies.map { ($0.trial, $0.content) })
        var records: [TrialRecord] = []
        try forEachRecord(of: run) { record in
            if let fault = record.fault {
                throw StoreError(path: path, message: "\(record.trial.id) holds \(fault)")
            }
            records.append(record)
            records[records.count - 1].latency = latency[record.trial.id]
        }
        return records.sorted { $0.trial.index < $1.trial.index }
    }

    /// All records of a finished run, as ``records(of:)``.
    ///
    /// - Throws: ``StoreError`` if trials are missing.
    public func records(of run: RunKey, _ facts: RunFacts) throws -> [TrialRecord] {
        let records = try records(of: run)
        let wanted = facts.shard?.size(of: facts.trialCount) ?? facts.trialCount
        guard records.count >= wanted else {
            throw StoreError(
                path: path, message: "holds \(records.count) of \(wanted) trials", kind: .unfinishedRun)
        }
        return records
    }

    /// Calls `body` with each record of a run without its latency, in arbitrary order.
    ///
    /// One record is in memory at a time.
    package func forEachRecord(of run: RunKey, _ body: (TrialRecord) throws -> Void) throws {
        try forEach(of: .trial, in: run) { row in
            let record = try row.content(TrialRecord.self)
            guard record.trial.id == row.trial else {
                throw StoreError(
                    path: path, message: "keeps trial \(record.trial.id) under the name \(row.trial)")
            }
            try body(record)
        }
    }

    /// For each answer that a run took from the cache, the commit that gave it.
    func cachedAnswers(of run: RunKey) throws -> [String] {
        var commits: [String] = []
        try forEachRecord(of: run) { record in
            if let commit = record.cachedCommit { commits.append(commit) }
        }
        return commits
    }

    /// The record of one trial, latency left out; nil when it is not done.
    public func record(of trial: String, in run: RunKey) throws -> TrialRecord? {
        try content(TrialRecord.self, as: .trial, of: trial, in: run)
    }

    /// Adds the trials of a run in another store to the run `own` of this one, with latencies and details, all or none.
    ///
    /// - Parameter check: Receives name and position of each trial first; an error from it cancels the whole.
    package func add(
        _ run: RunKey, from other: TrialStore, to own: RunKey,
        check: (_ trial: String, _ position: Int) throws -> Void = { _, _ in }
    ) throws {
        try database.write { database in
            for kind in [Kind.trial, .latency, .detail] {
                try other.forEach(of: kind, in: run) { row in
                    if kind == .trial { try check(row.trial, row.position) }
                    try row.insert(into: database, of: own)
                }
            }
        }
    }

    /// Deletes the failed trials of a run and those that were not measured, so that they are asked again.
    package func forgetErrors(of run: RunKey) throws {
        let failed = try records(of: run).filter { $0.error != nil || $0.notMeasured != nil }.map(\.trial.id)
        try database.write { database in
            for trial in failed {
                try database.execute(
                    sql: "DELETE FROM record WHERE plan = ? AND matcher = ? AND trial = ?",
                    arguments: [run.plan, run.matcher, trial])
            }
        }
    }

    /// Deletes all data of a run.
    public func forget(_ run: RunKey) throws {
        try database.write { database in
            try database.execute(
                sql: "DELETE FROM record WHERE plan = ? AND matcher = ?", arguments: [run.plan, run.matcher])
        }
    }
}

/// The reason why a store cannot be read or written.
public struct StoreError: Error, CustomStringConvertible, Sendable {
    package var path: String
    package var message: String
    /// Why, where the caller can do something about it.
    package var kind: Kind?

    package enum Kind: Sendable {
        /// There is no store in the folder.
        case noStore
        /// The run was not finished.
        case unfinishedRun
        /// The frontier search was not finished.
        case unfinishedSearch
        /// The folder holds a shard of a run.
        case shardOnly
        /// An earlier version wrote the store.
        case earlierVersion
        /// A cached query has other samples than when it was kept.
        case staleQuery
        /// The folder holds a run of another matcher.
        case otherMatcher
    }

    package init(path: String, message: String, kind: Kind? = nil) {
        self.path = path
        self.message = message
        self.kind = kind
    }

    package init(path: String, _ error: DatabaseError) {
        let text = error.message ?? "\(error.resultCode)"
        self.init(path: path, message: "SQLite reports: \(text) (code \(error.resultCode.rawValue))")
    }

    /// Path and message.
    public var description: String { "\(path): \(message)" }
}
