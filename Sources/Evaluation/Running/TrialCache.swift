import Foundation
import GRDB
import Matchers
import Synchronization
import SystemIO

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
    private let isOff = Atomic(false)
    private let warn: @Sendable (String) -> Void

    /// The number of answers found since the cache was opened.
    package var answersTaken: Int { taken.load(ordering: .relaxed) }

    /// The most rows of each kind, of about 1 kB; the oldest are deleted first.
    private static let mostRows = 2_000_000

    /// Opens or creates the cache in `folder`.
    ///
    /// If it fails later, it is switched off: it then knows nothing and keeps nothing.
    ///
    /// - Parameters:
    ///   - archiveBytes: the most bytes of samples.
    ///   - warn: receives the reason if it is switched off.
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
        migrator.registerMigration("2") { database in
            for table in ["query", "answer"] {
                try database.execute(sql: "DELETE FROM \(table)")
                try database.alter(table: table) {
                    $0.add(column: "digest", .text).notNull().defaults(to: "")
                }
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

    func query(recipe: String) -> Knowledge {
        use(else: .none) {
            try database.read { database in
                guard
                    let row = try Row.fetchOne(
                        database, sql: "SELECT facts, digest FROM query WHERE recipe = ?",
                        arguments: [recipe])
                else { return .none }
                let data = row["facts"] as Data?
                try check(row["digest"], of: [recipe], data)
                guard let data else { return .notOffered }
                let facts = try JSONDecoder().decode(QueryFacts.self, from: data)
                if let fault = facts.fault {
                    throw StoreError(path: self.database.path, message: "a row holds \(fault)")
                }
                return .facts(facts)
            }
        }
    }

    /// Stores the facts of a query; nil means that its format is not offered.
    func keep(_ facts: QueryFacts?, recipe: String) {
        use(else: ()) {
            let data = try facts.map { try JSONEncoder().encode($0) }
            try database.write { database in
                try database.execute(
                    sql: "INSERT OR REPLACE INTO query (recipe, facts, digest) VALUES (?, ?, ?)",
                    arguments: [recipe, data, Self.digest(of: [recipe], data)])
            }
        }
    }

    /// The stored answers of a catalog to a query; nil if there are none.
    package func answers(catalog: String, query: String) -> [Candidate]? {
        let known: [Candidate]? = use(else: nil) {
            try database.read { database in
                try Row.fetchOne(
                    database, sql: "SELECT candidates, digest FROM answer WHERE catalog = ? AND query = ?",
                    arguments: [catalog, query]
                ).map { row in
                    let data: Data = row["candidates"]
                    try check(row["digest"], of: [catalog, query], data)
                    return try JSONDecoder().decode([Candidate].self, from: data)
                }
            }
        }
        if known != nil { taken.add(1, ordering: .relaxed) }
        return known
    }

    package func keep(_ candidates: [Candidate], catalog: String, query: String) {
        use(else: ()) {
            let data = try JSONEncoder().encode(candidates)
            try database.write { database in
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO answer (catalog, query, candidates, digest)
                        VALUES (?, ?, ?, ?)
                        """,
                    arguments: [catalog, query, data, Self.digest(of: [catalog, query], data)])
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

    private func check(_ stored: String, of key: [String], _ data: Data?) throws {
        guard stored == Self.digest(of: key, data) else {
            throw StoreError(path: database.path, message: "a row is damaged; delete the file")
        }
    }

    /// The digest of a row.
    private static func digest(of key: [String], _ data: Data?) -> String {
        let hash = Digest()
        hash.update(key.joined(separator: "\n"))
        if let data { hash.update(data) }
        return hash.finalize().hexadecimal
    }
}
