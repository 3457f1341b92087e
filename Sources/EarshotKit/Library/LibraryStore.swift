import Fingerprinting
import Foundation
import GRDB

/// The library of a user: one SQLite file that any number of processes read and change at once.
///
/// Write-ahead logging keeps it whole whenever a process is killed; a change that has returned is on the disk.
package final class LibraryStore: Sendable {
    /// The folder it lies in.
    package let folder: String
    let pool: DatabasePool
    /// Sees the commits of all other connections, those of this process included.
    private let watcher: DatabaseQueue

    /// The name of the file in its folder.
    package static let fileName = "library.sqlite"

    /// Opens the library in `folder`; makes folder and file where there are none.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` naming the file, when it cannot be opened, is no library, or was
    ///   written by a later version.
    package init(folder: String) throws {
        self.folder = folder
        let path = folder + "/" + Self.fileName
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // One process at a time: two that make the file at once would get in each other's way.
            (pool, watcher) = try FileLock.holding(folder + "/library.lock") {
                let pool = try Self.openPool(path)
                var readonly = Self.configuration()
                readonly.readonly = true
                return (pool, try DatabaseQueue(path: path, configuration: readonly))
            }
        } catch {
            throw Self.described(error, path: path)
        }
    }

    private static func openPool(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration())
        guard try !pool.read(migrator.hasBeenSuperseded) else {
            throw SHError(
                .mediaLibrarySyncFailed,
                message: "\(path): was written by a later version of earshot; use that one")
        }
        try migrator.migrate(pool)
        return pool
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        configuration.prepareDatabase { database in
            // Commits outlast a loss of power too, not only a killed process.
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        return configuration
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "addition") { table in
                table.primaryKey("tag", .text)
                table.column("app", .text).notNull()
                table.column("shazamID", .text).notNull()
                table.column("clock", .integer).notNull()
                table.column("item", .blob).notNull()
            }
            try database.create(index: "additionsOfApps", on: "addition", columns: ["app", "shazamID"])
            try database.create(table: "removal") { table in
                table.primaryKey("tag", .text)
            }
            try database.create(table: "setting") { table in
                table.primaryKey("name", .text)
                table.column("value", .text).notNull()
            }
        }
        return migrator
    }

    /// A number that differs from the one before when anyone has changed the library meanwhile.
    package func version() throws -> Int {
        try described { try watcher.read { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 } }
    }

    /// Runs `body` with errors that name the file.
    func described<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw described(error) }
    }

    /// The error as the library's users are told it.
    func described(_ error: any Error) -> any Error { Self.described(error, path: pool.path) }

    private static func described(_ error: any Error, path: String) -> any Error {
        switch error {
        case is SHError, is CancellationError: return error
        case let error as DatabaseError:
            let text = error.message ?? "\(error.resultCode)"
            return SHError(
                .mediaLibrarySyncFailed,
                message: "\(path): SQLite says: \(text) (code \(error.resultCode.rawValue))")
        case let error as FingerprintingError:
            return SHError(.mediaLibrarySyncFailed, message: error.description)
        default:
            return SHError(.mediaLibrarySyncFailed, message: "\(path): \(error.localizedDescription)")
        }
    }
}
