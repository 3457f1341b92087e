import Foundation
import GRDB
import Matchers
import Synchronization

/// The results of earlier runs: the facts of rendered queries, and the answers to them.
///
/// The key of facts is the query's recipe (``QueryRecipe``). The key of answers is the matcher's identity, the
/// content of its catalog and the query's decoded samples. So a run in another folder or with another plan reuses all
/// results. Another matcher reuses the queries whose samples are in the ``QueryArchive``. A changed degradation makes
/// only its own queries again. Each row has a digest, which every read checks. Several processes may use one cache.
public final class TrialCache: Sendable {
    let archive: QueryArchive
    private let database: GuardedDatabase
    /// The commit of the working folder, for answers that this process keeps.
    private let commit = Provenance.currentCommit
    private let isOff = Atomic(false)
    private let warn: @Sendable (String) -> Void

    /// The most rows of each kind, of about 1 kB; the oldest are deleted first.
    private static let mostRows = 2_000_000

    /// Opens or creates the cache in `folder`.
    ///
    /// If it fails later, it is switched off: it then knows nothing and keeps nothing.
    ///
    /// - Parameters:
    ///   - archiveBytes: The most bytes of samples.
    ///   - warn: Receives the reason if it is switched off.
    /// - Throws: ``StoreError`` if it cannot be created, or a later version wrote it.
    public init(
        folder: String, archiveBytes: Int, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        self.warn = warn
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(path: folder, message: "cannot be created: \(error.localizedDescription)")
        }
        database = try GuardedDatabase(
            path: folder + "/trials.sqlite", syncsEachCommit: false, migrator: Self.migrator)
        archive = try QueryArchive(folder: folder + "/queries", capacityBytes: archiveBytes)
        try database.write { database in
            for table in ["query", "answer"] {
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE rowid <= (SELECT max(rowid) FROM \(table)) - ?",
                    arguments: [Self.mostRows])
            }
        }
    }

    /// Removes all facts and answers of the cache in `folder`, which other processes may be using.
    package static func forget(folder: String) throws {
        let path = folder + "/trials.sqlite"
        guard FileManager.default.fileExists(atPath: path) else { return }
        do {
            try GuardedDatabase(path: path, syncsEachCommit: false, migrator: migrator)
                .empty(["query", "answer"])
        } catch is StoreError {
            // Damaged, or of another version.
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        // Rows of these versions lacked a digest or the commit; they are made again.
        migrator.registerMigration("1") { _ in }
        migrator.registerMigration("2") { _ in }
        migrator.registerMigration("3") { database in
            try database.execute(sql: "DROP TABLE IF EXISTS query; DROP TABLE IF EXISTS answer")
            try database.create(table: "query") { table in
                table.column("recipe", .text).notNull().unique()
                // A text where the format is not offered.
                table.column("facts", .blob)
                table.column("digest", .text).notNull()
            }
            try database.create(table: "answer") { table in
                table.column("catalog", .text).notNull()
                table.column("query", .text).notNull()
                // Of the run that asked.
                table.column("commitName", .text).notNull()
                table.column("candidates", .blob).notNull()
                table.column("digest", .text).notNull()
                table.uniqueKey(["catalog", "query"])
            }
        }
        return migrator
    }

    /// The cached knowledge of a query.
    enum Knowledge: Hashable {
        case none
        /// Its format does not exist at its rate, as the text says.
        case notOffered(String)
        case facts(QueryFacts)
    }

    func query(recipe: String) -> Knowledge {
        use(else: .none) {
            try database.read { database in
                guard
                    let row = try Row.fetchOne(
                        database, sql: "SELECT facts, digest FROM query WHERE recipe = ?",
                        arguments: [recipe])
                else { return .none }
                let data: Data? = Self.value("facts", of: row)
                guard Self.value("digest", of: row) == GuardedDatabase.digest(of: [recipe], data) else {
                    return .none
                }
                guard let data else { return .none }
                if let reason = try? JSONDecoder().decode(String.self, from: data) {
                    return .notOffered(reason)
                }
                let facts = try? JSONDecoder().decode(QueryFacts.self, from: data)
                return facts.flatMap { $0.fault == nil ? .facts($0) : nil } ?? .none
            }
        }
    }

    /// Stores the facts of a query, or why its format is not offered.
    func keep(_ query: Result<QueryFacts, TrialError>, recipe: String) {
        use(else: ()) {
            let coder = JSONEncoder()
            let data =
                switch query {
                case .success(let facts): try coder.encode(facts)
                case .failure(let error): try coder.encode(error.description)
                }
            try database.write { database in
                try database.execute(
                    sql: "INSERT OR REPLACE INTO query (recipe, facts, digest) VALUES (?, ?, ?)",
                    arguments: [recipe, data, GuardedDatabase.digest(of: [recipe], data)])
            }
        }
    }

    /// The answers of a catalog to a query, and the commit of the run that gave them.
    package struct Answers: Hashable, Sendable {
        package let candidates: [Candidate]
        package let commit: String
    }

    /// The stored answers of a catalog to a query; nil if there are none.
    package func answers(catalog: String, query: String) -> Answers? {
        use(else: nil) {
            try database.read { database in
                guard
                    let row = try Row.fetchOne(
                        database,
                        sql: """
                            SELECT candidates, commitName, digest FROM answer WHERE catalog = ? AND query = ?
                            """,
                        arguments: [catalog, query]),
                    let data: Data = Self.value("candidates", of: row),
                    let commit: String = Self.value("commitName", of: row),
                    Self.value("digest", of: row)
                        == GuardedDatabase.digest(of: [catalog, query, commit], data),
                    let candidates = try? JSONDecoder().decode([Candidate].self, from: data)
                else { return nil }
                return Answers(candidates: candidates, commit: commit)
            }
        }
    }

    package func keep(_ candidates: [Candidate], catalog: String, query: String) {
        use(else: ()) {
            let data = try JSONEncoder().encode(candidates)
            try database.write { database in
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO answer (catalog, query, commitName, candidates, digest)
                        VALUES (?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        catalog, query, commit, data,
                        GuardedDatabase.digest(of: [catalog, query, commit], data),
                    ])
            }
        }
    }

    /// Reads or writes; the first failure switches the cache off.
    private func use<T>(else unknown: T, _ body: () throws -> T) -> T {
        guard !isOff.load(ordering: .relaxed) else { return unknown }
        do { return try body() } catch {
            if !isOff.exchange(true, ordering: .relaxed) {
                warn("The cache is switched off for this run: \(error)")
            }
            return unknown
        }
    }

    /// The value of a column; nil for null and, in a damaged row, for a value of another type.
    private static func value<Value: DatabaseValueConvertible>(_ column: String, of row: Row) -> Value? {
        Value.fromDatabaseValue(row[column])
    }
}
