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

    struct Contents {
        var files: [(number: Int64, removed: Set<Int>)] = []
        var rows: [Row] = []
    }

    private let pool: DatabasePool

    /// Opens a manifest, or makes an empty one.
    init(_ path: String) throws {
        pool = try DurableSQLite.open(path)
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
        guard try !pool.read(migrator.hasBeenSuperseded) else {
            throw CatalogFault(
                .internalError, "\(path): was written by a later version", remedy: "Update this program.")
        }
        try migrator.migrate(pool)
    }

    func contents() throws -> Contents {
        try pool.write { database in
            // A file whose writing was cut short.
            try database.execute(sql: "DELETE FROM file WHERE NOT isWritten")
            var contents = Contents()
            for number in try Int64.fetchAll(database, sql: "SELECT number FROM file ORDER BY number") {
                let removed = try Int.fetchSet(
                    database, sql: "SELECT place FROM removal WHERE file = ?", arguments: [number])
                contents.files.append((number, removed))
            }
            let rows = try GRDB.Row.fetchAll(database, sql: "SELECT * FROM reference ORDER BY version")
            contents.rows = try rows.map { row in
                let id: String = row["id"]
                let item: Data = row["item"]
                let signature: Data = row["signature"]
                return Row(
                    version: row["version"],
                    reference: Reference(
                        id: id, mediaItem: try MediaItem(encoded: [UInt8](item), name: "reference \(id)"),
                        signature: try Signature(encoded: [UInt8](signature), name: "reference \(id)")))
            }
            return contents
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

    /// Replaces files and rows by the file into which they were merged.
    func replace(files: [Int64], versions: [Int64], by number: Int64, removed: Set<Int>) throws {
        try pool.write { database in
            try database.execute(sql: "UPDATE file SET isWritten = 1 WHERE number = ?", arguments: [number])
            for place in removed { try Self.remove((number, place), database) }
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
