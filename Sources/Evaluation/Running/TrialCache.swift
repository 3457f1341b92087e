import Foundation
import GRDB
import Matchers

/// What earlier runs found out, by content: the facts of rendered queries, and the answers to them.
///
/// Facts are keyed by the query's recipe (``QueryRecipe``), answers by the identity of the matcher with the
/// content of its catalog and by the query's decoded samples. So a run in another folder, under another
/// plan or with another metric repeats nothing; another matcher is asked anew, but queries are not rendered
/// whose samples are still in the ``QueryArchive``; a changed degradation renders its own queries only.
/// Several processes may use one cache.
package final class TrialCache: Sendable {
    /// Samples of queries.
    let archive: QueryArchive
    private let database: GuardedDatabase

    /// How many rows of each kind are kept, about 1 kB each; the oldest go first.
    private static let mostRows = 2_000_000

    /// Opens the cache in `folder` and makes it if there is none.
    ///
    /// - Parameter archiveBytes: how many bytes of samples are kept at most; 0 keeps none.
    /// - Throws: ``StoreError`` when it cannot be made or was written by a later version.
    package init(folder: String, archiveBytes: Int) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(path: folder, message: "cannot be made: \(error.localizedDescription)")
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

    /// What is known of a query.
    enum Knowledge: Hashable {
        /// Nothing.
        case none
        /// Its format does not exist at its rate.
        case notOffered
        /// What rendering found out.
        case facts(QueryFacts)
    }

    /// What is known of the query with this recipe.
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

    /// Keeps what rendering found out; nil says that the format is not offered.
    func keep(_ facts: QueryFacts?, recipe: String) throws {
        let data = try facts.map { try JSONEncoder().encode($0) }
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO query (recipe, facts) VALUES (?, ?)", arguments: [recipe, data])
        }
    }

    /// What a catalog answered to a query with this digest; nil when it was not asked.
    package func answers(catalog: String, query: String) throws -> [Candidate]? {
        try database.read { database in
            try Data.fetchOne(
                database, sql: "SELECT candidates FROM answer WHERE catalog = ? AND query = ?",
                arguments: [catalog, query]
            ).map { try JSONDecoder().decode([Candidate].self, from: $0) }
        }
    }

    /// Keeps what a catalog answered.
    package func keep(_ candidates: [Candidate], catalog: String, query: String) throws {
        let data = try JSONEncoder().encode(candidates)
        try database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO answer (catalog, query, candidates) VALUES (?, ?, ?)",
                arguments: [catalog, query, data])
        }
    }
}
