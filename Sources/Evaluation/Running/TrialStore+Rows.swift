import Foundation
import GRDB
import SystemIO

/// The rows of a store: one table for records of every kind.
extension TrialStore {
    package enum Kind: String {
        /// The raw outcome of a trial: of a plan a ``TrialRecord``, of a study whatever it measures.
        case trial
        case latency, detail
        /// The facts of a run when it begins, and at its end.
        case beginning, facts
    }

    /// One record as it is stored.
    struct Row {
        let kind: String
        /// Empty if the record is about the run.
        let trial: String
        let position: Int
        let data: Data

        init(_ kind: Kind, of trial: String = "", at position: Int = 0, _ content: some Encodable) throws {
            self.init(
                kind: kind.rawValue, trial: trial, position: position, data: try encoder.encode(content))
        }

        init(kind: String, trial: String, position: Int, data: Data) {
            self.kind = kind
            self.trial = trial
            self.position = position
            self.data = data
        }

        /// Checks a row of the database.
        ///
        /// - Throws: ``Damage`` if it is damaged.
        static func checked(_ stored: GRDB.Row) throws -> (run: RunKey, row: Row) {
            // A damaged row may hold values of other types.
            guard let plan = String.fromDatabaseValue(stored["plan"]),
                let matcher = String.fromDatabaseValue(stored["matcher"]),
                let kind = String.fromDatabaseValue(stored["kind"]),
                let trial = String.fromDatabaseValue(stored["trial"]),
                let position = Int.fromDatabaseValue(stored["position"]),
                let data = Data.fromDatabaseValue(stored["content"])
            else { throw Damage(message: "is damaged; make the run again") }
            let (run, row) = (
                RunKey(plan: plan, matcher: matcher),
                Row(kind: kind, trial: trial, position: position, data: data)
            )
            guard String.fromDatabaseValue(stored["digest"]) == row.digest(in: run) else {
                throw Damage(message: "holds a damaged record of \(kind) \(trial); make the run again")
            }
            return (run, row)
        }

        func content<Content: Decodable>(_: Content.Type) throws -> Content {
            try decoder.decode(Content.self, from: data)
        }

        func insert(into database: Database, of run: RunKey) throws {
            try database.execute(
                sql: "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?)",
                arguments: [run.plan, run.matcher, kind, trial, position, data, digest(in: run)])
        }

        private func digest(in run: RunKey) -> String {
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
        let row = try Row(kind, of: trial, at: position, content)
        try database.write { try row.insert(into: $0, of: run) }
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

    /// The facts of all runs: those at each beginning in order, or those at the end.
    func facts(as kind: Kind) throws -> [(key: RunKey, facts: RunFacts)] {
        var facts: [(position: Int, key: RunKey, facts: RunFacts)] = []
        try forEach("kind = ?", [kind.rawValue]) { run, row in
            facts.append((row.position, run, try row.content(RunFacts.self)))
        }
        return facts.sorted {
            ($0.key.plan, $0.key.matcher, $0.position) < ($1.key.plan, $1.key.matcher, $1.position)
        }
        .map { ($0.key, $0.facts) }
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
                let (run, row) = try Row.checked(stored)
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
