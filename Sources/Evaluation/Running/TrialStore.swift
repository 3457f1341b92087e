import Foundation
import GRDB

/// The records of trials in one SQLite file, so that a killed run can resume.
///
/// The key of a row is plan digest, matcher digest and trial. Each record is committed at once. Write-ahead logging
/// keeps the file consistent after a kill at any moment.
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
    /// - Throws: ``StoreError`` when it cannot be copied, is no store, or another version wrote it.
    package init(copying path: String) throws {
        let copy = try StoreCopy(of: path)
        database = try GuardedDatabase(path: copy.path, called: path, migrator: Self.migrator)
        self.copy = copy
    }

    package var path: String { database.path }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("run store 2") { database in
            try database.execute(
                sql: """
                    CREATE TABLE trial (plan TEXT NOT NULL, matcher TEXT NOT NULL, trial TEXT NOT NULL,
                        record BLOB NOT NULL, PRIMARY KEY (plan, matcher, trial));
                    CREATE TABLE latency (plan TEXT NOT NULL, matcher TEXT NOT NULL, trial TEXT NOT NULL,
                        milliseconds DOUBLE NOT NULL, calibration DOUBLE, processor DOUBLE,
                        PRIMARY KEY (plan, matcher, trial));
                    CREATE TABLE detail (plan TEXT NOT NULL, matcher TEXT NOT NULL, trial TEXT NOT NULL,
                        detail BLOB NOT NULL, PRIMARY KEY (plan, matcher, trial));
                    CREATE TABLE outcome (plan TEXT NOT NULL, matcher TEXT NOT NULL, trial TEXT NOT NULL,
                        position INTEGER NOT NULL, outcome BLOB NOT NULL, PRIMARY KEY (plan, matcher, trial));
                    CREATE TABLE study (plan TEXT NOT NULL, matcher TEXT NOT NULL, facts BLOB NOT NULL,
                        PRIMARY KEY (plan, matcher));
                    CREATE TABLE facts (plan TEXT NOT NULL, matcher TEXT NOT NULL, facts BLOB NOT NULL,
                        PRIMARY KEY (plan, matcher));
                    CREATE TABLE beginning (plan TEXT NOT NULL, matcher TEXT NOT NULL, facts BLOB NOT NULL);
                    """)
        }
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
    public func finishedTrials(of run: RunKey) throws -> Set<String> { try names(in: "trial", of: run) }

    /// The names of the trials with a measured latency.
    public func timedTrials(of run: RunKey) throws -> Set<String> { try names(in: "latency", of: run) }

    /// The trials of a run with a row in `table`.
    package func names(in table: String, of run: RunKey) throws -> Set<String> {
        try database.read { database in
            try Set(
                String.fetchAll(
                    database, sql: "SELECT trial FROM \(table) WHERE plan = ? AND matcher = ?",
                    arguments: [run.plan, run.matcher]))
        }
    }

    /// Stores or replaces one record.
    public func save(_ record: TrialRecord, of run: RunKey) throws {
        let data = try JSONEncoder().encode(record)
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO trial (plan, matcher, trial, record) VALUES (?, ?, ?, ?)",
                arguments: [run.plan, run.matcher, record.trial.id, data])
        }
    }

    package func save(_ latency: TrialRecord.Latency, of trial: String, in run: RunKey) throws {
        try database.write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO latency
                        (plan, matcher, trial, milliseconds, calibration, processor)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    run.plan, run.matcher, trial, latency.milliseconds, latency.calibrationMilliseconds,
                    latency.processorMilliseconds,
                ])
        }
    }

    /// Stores the facts of a run for its report.
    public func save(_ facts: RunFacts, of run: RunKey) throws {
        let data = try JSONEncoder().encode(facts)
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO facts (plan, matcher, facts) VALUES (?, ?, ?)",
                arguments: [run.plan, run.matcher, data])
        }
    }

    /// The runs with stored facts.
    public func runs() throws -> [(key: RunKey, facts: RunFacts)] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT plan, matcher, facts FROM facts ORDER BY plan, matcher")
                .map { row in
                    (
                        RunKey(plan: row["plan"], matcher: row["matcher"]),
                        try JSONDecoder().decode(RunFacts.self, from: row["facts"])
                    )
                }
        }
    }

    /// All records of a run in plan order, each with its latency if measured.
    public func records(of run: RunKey) throws -> [TrialRecord] {
        try database.read { database in
            let sql = """
                SELECT trial.record AS record, latency.milliseconds AS milliseconds,
                    latency.calibration AS calibration, latency.processor AS processor
                FROM trial LEFT JOIN latency USING (plan, matcher, trial)
                WHERE trial.plan = ? AND trial.matcher = ?
                """
            return try Row.fetchAll(database, sql: sql, arguments: [run.plan, run.matcher])
                .map { row in
                    var record = try JSONDecoder().decode(TrialRecord.self, from: row["record"])
                    if let fault = record.fault {
                        throw StoreError(path: path, message: "\(record.trial.id) holds \(fault)")
                    }
                    record.latency = (row["milliseconds"] as Double?).map {
                        TrialRecord.Latency(
                            milliseconds: $0, calibrationMilliseconds: row["calibration"],
                            processorMilliseconds: row["processor"])
                    }
                    return record
                }
                .sorted { $0.trial.index < $1.trial.index }
        }
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

    /// Deletes the failed trials of a run, so that they are asked again.
    package func forgetErrors(of run: RunKey) throws {
        let failed = try records(of: run).filter { $0.error != nil }.map(\.trial.id)
        try database.write { database in
            for trial in failed {
                for table in ["trial", "latency", "detail"] {
                    try database.execute(
                        sql: "DELETE FROM \(table) WHERE plan = ? AND matcher = ? AND trial = ?",
                        arguments: [run.plan, run.matcher, trial])
                }
            }
        }
    }

    /// Deletes all data of a run.
    public func forget(_ run: RunKey) throws {
        try database.write { database in
            for table in ["trial", "latency", "detail", "facts", "beginning", "outcome", "study"] {
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE plan = ? AND matcher = ?",
                    arguments: [run.plan, run.matcher])
            }
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
