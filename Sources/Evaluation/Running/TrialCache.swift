import Foundation
import GRDB
import Matchers
import Synchronization

/// The results of earlier runs: the facts of rendered queries, and the answers to them.
///
/// The key of facts is the query's recipe (``QueryRecipe``). The key of answers is the matcher's identity, the
/// content of its catalog and the query's decoded samples. So a run in another folder or with another plan reuses
/// all results. Another matcher reuses the queries whose samples are in the ``QueryArchive``. A changed degradation
/// makes only its own queries again. Several processes may use one cache.
public final class TrialCache: Sendable {
    let archive: QueryArchive
    private let database: GuardedDatabase
    private let taken = Atomic(0)

    /// The number of answers found since the cache was opened.
    package var answersTaken: Int { taken.load(ordering: .relaxed) }

    /// The most rows of each kind, of about 1 kB; the oldest are deleted first.
    private static let mostRows = 2_000_000

    /// Opens or creates the cache in `folder`.
    ///
    /// - Parameter archiveBytes: the most bytes of samples.
    /// - Throws: ``StoreError`` if it cannot be created, or a later version wrote it.
    public init(folder: String, archiveBytes: Int) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(path: folder, message: "cannot be created: \(error.localizedDescription)")
        }
        database = try GuardedDatabase(path: folder + "/trials.sqlite", migrator: Self.migrator)
        archive = try QueryArchive(folder: folder + "/queries", capacityBytes: archiveBytes)
        try database.write { database in
            for table in ["query", "answer"] {
                try database.execute(
                    sql: "DELETE FROM \(table) WHERE rowid <= (SELECT max(rowid) FROM \(table)) - ?",
                    arguments: [Self.mostRows])
            }
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "query") { table in
                table.column("recipe", .text).notNull().unique()
                // Null where the format is not offered.
                table.column("facts", .blob)
            }
            try database.create(table: "answer") { table in
                table.column("catalog", .text).notNull()
                table.column("query", .text).notNull()
                table.column("candidates", .blob).notNull()
                table.uniqueKey(["catalog", "query"])
            }
        }
        return migrator
    }

    /// The cached knowledge of a query.
    enum Knowledge: Hashable {
        case none
        /// Its format does not exist at its rate.
        case notOffered
        case facts(QueryFacts)
    }

    func query(recipe: String) throws -> Knowledge {
        try database.read { database in
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT facts FROM query WHERE recipe = ?", arguments: [recipe])
            else { return .none }
            guard let data = row["facts"] as Data? else { return .notOffered }
            return .facts(try JSONDecoder().decode(QueryFacts.self, from: data))
        }
    }

    /// Stores the facts of a query; nil means that its format is not offered.
    func keep(_ facts: QueryFacts?, recipe: String) throws {
        let data = try facts.map { try JSONEncoder().encode($0) }
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO query (recipe, facts) VALUES (?, ?)", arguments: [recipe, data])
        }
    }

    /// The stored answers of a catalog to a query; nil if there are none.
    package func answers(catalog: String, query: String) throws -> [Candidate]? {
        let known = try database.read { database in
            try Data.fetchOne(
                database, sql: "SELECT candidates FROM answer WHERE catalog = ? AND query = ?",
                arguments: [catalog, query]
            ).map { try JSONDecoder().decode([Candidate].self, from: $0) }
        }
        if known != nil { taken.add(1, ordering: .relaxed) }
        return known
    }

    package func keep(_ candidates: [Candidate], catalog: String, query: String) throws {
        let data = try JSONEncoder().encode(candidates)
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO answer (catalog, query, candidates) VALUES (?, ?, ?)",
                arguments: [catalog, query, data])
        }
    }
}
