import AudioCore
import DurableSQLite
import EarshotKit
import Fingerprinting
import Foundation
import GRDB

/// What a store holds: which files, which of their references are gone, and the latest references themselves.
///
/// A change that has returned is on the disk.
final class StoreManifest: Sendable {
    struct Row: Sendable {
        let version: Int64
        let reference: Reference
    }

    /// A row as it is stored.
    struct StoredRow {
        let version: Int64
        let id: String
        let item: [UInt8]
        let signature: [UInt8]

        /// What errors and lists call it.
        var name: String { "reference \"\(id)\"" }
        var signatureVersion: UInt32? { Signature.version(ofFile: signature) }

        /// - Throws: `FingerprintingError` if it is damaged.
        func reference() throws -> Reference {
            Reference(
                id: id, mediaItem: try MediaItem(encoded: item, name: name),
                signature: try Signature(encoded: signature, name: name))
        }
    }

    private static let migrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "file") { table in
                table.autoIncrementedPrimaryKey("number")
                table.column("isWritten", .boolean).notNull()
            }
            try database.create(table: "removal") { table in
                table.column("file", .integer).notNull()
                table.column("place", .integer).notNull()
                table.primaryKey(["file", "place"])
            }
            try database.create(table: "reference") { table in
                table.autoIncrementedPrimaryKey("version")
                table.column("id", .text).notNull().unique()
                table.column("item", .blob).notNull()
                table.column("signature", .blob).notNull()
            }
        }
        // Segments may have version 7 from here on, which programs before 0.3.0 must not read or write.
        migrator.registerMigration("2") { _ in }
        return migrator
    }()

    private let pool: DatabasePool

    /// Opens a manifest, or makes an empty one.
    ///
    /// - Throws: `CatalogFault` if a later version wrote it.
    init(_ path: String) throws {
        pool = try DurableSQLite.open(path)
        guard try !pool.read(Self.migrator.hasBeenSuperseded) else {
            throw CatalogFault(.internalError, "\(path): \(Release.newer)", remedy: "Update this program.")
        }
        // An empty one has no tables yet.
        if try !pool.read({ try $0.tableExists("file") }) { try migrate() }
    }

    /// Keeps programs of earlier versions from writing, before anything of today's version is written.
    func migrate() throws { try Self.migrator.migrate(pool) }

    /// The files, and which of their references are gone.
    func files() throws -> [(number: Int64, removed: Set<Int>)] {
        try pool.read { database in
            try Int64.fetchAll(database, sql: "SELECT number FROM file WHERE isWritten ORDER BY number").map {
                number in
                let removed = try Int.fetchSet(
                    database, sql: "SELECT place FROM removal WHERE file = ?", arguments: [number])
                return (number, removed)
            }
        }
    }

    /// Forgets files whose writing was cut short.
    func forgetUnfinished() throws {
        try pool.write { try $0.execute(sql: "DELETE FROM file WHERE NOT isWritten") }
    }

    func storedRows() throws -> [StoredRow] {
        try pool.read { database in
            try GRDB.Row.fetchAll(database, sql: "SELECT * FROM reference ORDER BY version").map { row in
                let item: Data = row["item"]
                let signature: Data = row["signature"]
                return StoredRow(
                    version: row["version"], id: row["id"], item: [UInt8](item), signature: [UInt8](signature)
                )
            }
        }
    }

    /// The latest references, in order.
    func rows() throws -> [Row] {
        try storedRows().map { Row(version: $0.version, reference: try $0.reference()) }
    }

    /// Writes the signatures of rows again, in today's format.
    func update(_ rows: [Row]) throws {
        try pool.write { database in
            for row in rows {
                try database.execute(
                    sql: "UPDATE reference SET signature = ? WHERE version = ?",
                    arguments: [Data(row.reference.signature.encoded()), row.version])
            }
        }
    }

    /// Adds a reference in place of the latest one of its identifier, and of one in a file; returns its version.
    func put(_ reference: Reference, replacing old: (file: Int64, place: Int)?) throws -> Int64 {
        let item = Data(try reference.mediaItem.encoded())
        let signature = Data(reference.signature.encoded())
        return try pool.write { database in
            try database.execute(sql: "DELETE FROM reference WHERE id = ?", arguments: [reference.id])
            try database.execute(
                sql: "INSERT INTO reference (id, item, signature) VALUES (?, ?, ?)",
                arguments: [reference.id, item, signature])
            let version = database.lastInsertedRowID
            try Self.remove(old, database)
            return version
        }
    }

    /// Removes the latest reference of an identifier, and one in a file.
    func remove(_ id: String, from old: (file: Int64, place: Int)?) throws {
        try pool.write { database in
            try database.execute(sql: "DELETE FROM reference WHERE id = ?", arguments: [id])
            try Self.remove(old, database)
        }
    }

    private static func remove(_ old: (file: Int64, place: Int)?, _ database: Database) throws {
        guard let old else { return }
        try database.execute(
            sql: "INSERT OR IGNORE INTO removal (file, place) VALUES (?, ?)",
            arguments: [old.file, old.place])
    }

    /// The number of a new file, which counts once it is in place of others.
    func newFile() throws -> Int64 {
        try pool.write { database in
            try database.execute(sql: "INSERT INTO file (isWritten) VALUES (0)")
            return database.lastInsertedRowID
        }
    }

    /// Replaces files and rows by the file into which they were merged; nil for none.
    func replace(files: [Int64], versions: [Int64], by number: Int64?, removed: Set<Int>) throws {
        try pool.write { database in
            if let number {
                try database.execute(
                    sql: "UPDATE file SET isWritten = 1 WHERE number = ?", arguments: [number])
                for place in removed { try Self.remove((number, place), database) }
            }
            for file in files {
                try database.execute(sql: "DELETE FROM file WHERE number = ?", arguments: [file])
                try database.execute(sql: "DELETE FROM removal WHERE file = ?", arguments: [file])
            }
            for version in versions {
                try database.execute(sql: "DELETE FROM reference WHERE version = ?", arguments: [version])
            }
        }
    }
}
