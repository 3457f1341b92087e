import Foundation
import GRDB

extension TrialStore {
    /// Calls `body` with each record of a run without its latency, in arbitrary order.
    ///
    /// One record is in memory at a time. `row` is the stored form of the record.
    package func forEachRecord(
        of run: RunKey, _ body: (_ record: TrialRecord, _ row: Data) throws -> Void
    ) throws {
        try database.read { database in
            let rows = try Row.fetchCursor(
                database, sql: "SELECT trial, record FROM trial WHERE plan = ? AND matcher = ?",
                arguments: [run.plan, run.matcher])
            while let row = try rows.next() {
                let data: Data = row["record"]
                let record = try JSONDecoder().decode(TrialRecord.self, from: data)
                guard record.trial.id == row["trial"] as String else {
                    throw StoreError(
                        path: path,
                        message: "keeps trial \(record.trial.id) under the name \(row["trial"] as String)")
                }
                try body(record, data)
            }
        }
    }

    /// For each answer that a run took from the cache, the commit that gave it.
    func cachedAnswers(of run: RunKey) throws -> [String] {
        var commits: [String] = []
        try forEachRecord(of: run) { record, _ in
            if let commit = record.cachedCommit { commits.append(commit) }
        }
        return commits
    }

    /// The record of one trial, latency left out; nil when it is not done.
    public func record(of trial: String, in run: RunKey) throws -> TrialRecord? {
        try database.read { database in
            try Data.fetchOne(
                database, sql: "SELECT record FROM trial WHERE plan = ? AND matcher = ? AND trial = ?",
                arguments: [run.plan, run.matcher, trial]
            ).map { try JSONDecoder().decode(TrialRecord.self, from: $0) }
        }
    }

    /// Adds the records and latencies of a run in another store to the run `own` of this one, all or none.
    ///
    /// - Parameter check: Receives each record first; an error from it cancels the whole.
    package func add(
        _ run: RunKey, from other: TrialStore, to own: RunKey, check: (TrialRecord) throws -> Void
    ) throws {
        try database.write { database in
            let insertion = try database.makeStatement(
                sql: "INSERT INTO trial (plan, matcher, trial, record) VALUES (?, ?, ?, ?)")
            try other.forEachRecord(of: run) { record, row in
                try check(record)
                try insertion.execute(arguments: [own.plan, own.matcher, record.trial.id, row])
            }
            let timing = try database.makeStatement(
                sql: """
                    INSERT INTO latency (plan, matcher, trial, milliseconds, calibration, processor)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """)
            try other.forEachLatency(of: run) { trial, milliseconds, calibration, processor in
                try timing.execute(
                    arguments: [own.plan, own.matcher, trial, milliseconds, calibration, processor])
            }
        }
    }

    private func forEachLatency(
        of run: RunKey,
        _ body: (_ trial: String, _ milliseconds: Double, _ calibration: Double?, _ processor: Double?) throws
            -> Void
    ) throws {
        try database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT trial, milliseconds, calibration, processor FROM latency
                    WHERE plan = ? AND matcher = ?
                    """,
                arguments: [run.plan, run.matcher])
            while let row = try rows.next() {
                try body(row["trial"], row["milliseconds"], row["calibration"], row["processor"])
            }
        }
    }
}
