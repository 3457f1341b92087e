import Foundation
import GRDB
import SystemIO

/// The rows of a store: one table for records of every kind.
extension TrialStore {
    package enum Kind: String {
        case trial, latency, detail
        /// The raw outcome of a study's trial, which does not fit ``TrialRecord``.
        case outcome
        /// What is known of a run when it begins, and of a run or study at its end.
        case beginning, facts, study
    }

    /// One record as it is stored.
    struct Row {
        let kind: String
        /// Empty if the record is about the run.
        let trial: String
        let position: Int
        let data: Data

        func content<Content: Decodable>(_: Content.Type) throws -> Content {
            try decoder.decode(Content.self, from: data)
        }

        func insert(into database: Database, of run: RunKey) throws {
            try database.execute(
                sql: "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [run.plan, run.matcher, kind, trial, position, data, digest(in: run)])
        }

        fileprivate func digest(in run: RunKey) -> String {
            GuardedDatabase.digest(of: [run.plan, run.matcher, kind, trial, "\(position)"], data)
        }
    }

    /// Stores or replaces a record.
    ///
    /// - Parameters:
    ///   - trial: empty if it is about the run.
    ///   - position: the place among the records of its kind.
    package func save(
        _ content: some Encodable, as kind: Kind, of trial: String = "", at position: Int = 0, in run: RunKey
    ) throws {
        let data = try encoder.encode(content)
        try database.write { database in
            try Row(kind: kind.rawValue, trial: trial, position: position, data: data)
                .insert(into: database, of: run)
        }
    }

    /// The trials of a run with a record of a kind.
    package func names(of kind: Kind, in run: RunKey) throws -> Set<String> {
        try database.read { database in
            try Set(
                String.fetchAll(
                    database, sql: "SELECT trial FROM record WHERE plan = ? AND matcher = ? AND kind = ?",
                    arguments: [run.plan, run.matcher, kind.rawValue]))
        }
    }

    /// The record of one trial; nil if there is none.
    package func content<Content: Decodable>(
        _: Content.Type, as kind: Kind, of trial: String, in run: RunKey
    ) throws -> Content? {
        var content: Content?
        try forEach(
            "plan = ? AND matcher = ? AND kind = ? AND trial = ?",
            [run.plan, run.matcher, kind.rawValue, trial]
        ) { content = try $1.content(Content.self) }
        return content
    }

    /// The records of a kind by position; if `names` is given, only of those trials.
    package func contents<Content: Decodable>(
        _: Content.Type, as kind: Kind, in run: RunKey, named names: Set<String>? = nil
    ) throws -> [(trial: String, content: Content)] {
        var contents: [(position: Int, trial: String, content: Content)] = []
        try forEach(of: kind, in: run) { row in
            guard names?.contains(row.trial) ?? true else { return }
            contents.append((row.position, row.trial, try row.content(Content.self)))
        }
        return contents.sorted { ($0.position, $0.trial) < ($1.position, $1.trial) }
            .map { ($0.trial, $0.content) }
    }

    /// The records of a kind, over all runs.
    package func facts<Facts: Decodable>(_: Facts.Type, as kind: Kind) throws -> [(key: RunKey, facts: Facts)]
    {
        var facts: [(position: Int, key: RunKey, facts: Facts)] = []
        try forEach("kind = ?", [kind.rawValue]) { run, row in
            facts.append((row.position, run, try row.content(Facts.self)))
        }
        return facts.sorted {
            ($0.key.plan, $0.key.matcher, $0.position) < ($1.key.plan, $1.key.matcher, $1.position)
        }
        .map { ($0.key, $0.facts) }
    }

    /// Copies the records of a kind from another store, all or none.
    package func add(_ kind: Kind, of run: RunKey, from other: TrialStore, to own: RunKey) throws {
        try database.write { database in
            try other.forEach(of: kind, in: run) { try $0.insert(into: database, of: own) }
        }
    }

    /// Calls `body` with each row of a kind, one at a time, in arbitrary order.
    func forEach(of kind: Kind, in run: RunKey, _ body: (Row) throws -> Void) throws {
        try forEach("plan = ? AND matcher = ? AND kind = ?", [run.plan, run.matcher, kind.rawValue]) {
            try body($1)
        }
    }

    /// Reads everything once.
    ///
    /// - Throws: ``StoreError`` at the first damage.
    func verify() throws {
        try forEach("TRUE", []) { _, _ in }
        try database.read { database in
            guard try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"] else {
                throw StoreError(path: path, message: "is damaged; make the run again")
            }
        }
    }

    private func forEach(
        _ condition: String, _ arguments: StatementArguments, _ body: (RunKey, Row) throws -> Void
    ) throws {
        try database.read { database in
            let rows = try GRDB.Row.fetchCursor(
                database, sql: "SELECT * FROM record WHERE \(condition)", arguments: arguments)
            while let stored = try rows.next() {
                // A damaged row may hold values of other types.
                guard let plan = String.fromDatabaseValue(stored["plan"]),
                    let matcher = String.fromDatabaseValue(stored["matcher"]),
                    let kind = String.fromDatabaseValue(stored["kind"]),
                    let trial = String.fromDatabaseValue(stored["trial"]),
                    let position = Int.fromDatabaseValue(stored["position"]),
                    let data = Data.fromDatabaseValue(stored["content"])
                else { throw StoreError(path: path, message: "is damaged; make the run again") }
                let (run, row) = (
                    RunKey(plan: plan, matcher: matcher),
                    Row(kind: kind, trial: trial, position: position, data: data)
                )
                guard String.fromDatabaseValue(stored["digest"]) == row.digest(in: run) else {
                    throw StoreError(
                        path: path, message: "holds a damaged record of \(kind) \(trial); make the run again")
                }
                try body(run, row)
            }
        }
    }
}

private let encoder = {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
}()

private let decoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
}()
