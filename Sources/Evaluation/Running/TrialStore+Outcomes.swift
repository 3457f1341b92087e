import Foundation
import GRDB

/// Raw outcomes of studies, whose trials do not fit ``TrialRecord``.
extension TrialStore {
    /// Stores or replaces the raw outcome of the trial at a position of its study.
    package func save(
        _ outcome: some Encodable, of trial: String, at position: Int, in run: RunKey
    ) throws {
        let data = try Self.encoder.encode(outcome)
        try database.write { database in
            try database.execute(
                sql: Self.outcomeInsertion, arguments: [run.plan, run.matcher, trial, position, data])
        }
    }

    /// The raw outcomes of a run in the order of the study; if `names` is given, only of those trials.
    package func outcomes<Outcome: Decodable>(
        _: Outcome.Type, of run: RunKey, named names: Set<String>? = nil
    ) throws -> [(trial: String, outcome: Outcome)] {
        try database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "SELECT trial, outcome FROM outcome WHERE plan = ? AND matcher = ? ORDER BY position, trial",
                arguments: [run.plan, run.matcher])
            let decoder = Self.decoder
            var outcomes: [(trial: String, outcome: Outcome)] = []
            while let row = try rows.next() {
                let trial: String = row["trial"]
                guard names?.contains(trial) ?? true else { continue }
                outcomes.append((trial, try decoder.decode(Outcome.self, from: row["outcome"])))
            }
            return outcomes
        }
    }

    /// The raw outcome of one trial; nil if there is none.
    package func outcome<Outcome: Decodable>(_: Outcome.Type, of trial: String, in run: RunKey) throws
        -> Outcome?
    {
        try database.read { database in
            try Data.fetchOne(
                database, sql: "SELECT outcome FROM outcome WHERE plan = ? AND matcher = ? AND trial = ?",
                arguments: [run.plan, run.matcher, trial]
            ).map { try Self.decoder.decode(Outcome.self, from: $0) }
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    private static let outcomeInsertion =
        "INSERT OR REPLACE INTO outcome (plan, matcher, trial, position, outcome) VALUES (?, ?, ?, ?, ?)"

    /// Stores the facts of a study for its report.
    package func save(studyFacts facts: some Encodable, of run: RunKey) throws {
        let data = try JSONEncoder().encode(facts)
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO study (plan, matcher, facts) VALUES (?, ?, ?)",
                arguments: [run.plan, run.matcher, data])
        }
    }

    package func studies<Facts: Decodable>(_: Facts.Type) throws -> [(key: RunKey, facts: Facts)] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT plan, matcher, facts FROM study ORDER BY plan, matcher")
                .map { row in
                    (
                        RunKey(plan: row["plan"], matcher: row["matcher"]),
                        try JSONDecoder().decode(Facts.self, from: row["facts"])
                    )
                }
        }
    }

    /// Copies the raw outcomes of a study from another store.
    package func addOutcomes(of run: RunKey, from other: TrialStore) throws {
        let rows = try other.database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT trial, position, outcome FROM outcome WHERE plan = ? AND matcher = ?",
                arguments: [run.plan, run.matcher])
        }
        try database.write { database in
            for row in rows {
                try database.execute(
                    sql: Self.outcomeInsertion,
                    arguments: [
                        run.plan, run.matcher, row["trial"] as String, row["position"] as Int,
                        row["outcome"] as Data,
                    ])
            }
        }
    }
}
