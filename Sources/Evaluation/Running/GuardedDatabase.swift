import AudioCore
import Degradations
import DurableSQLite
import Foundation
import GRDB
import SystemIO

/// A record that cannot be what was written.
struct Damage: Error {
    let message: String
}

/// An SQLite file whose errors name it.
final class GuardedDatabase: Sendable {
    let path: String
    private let pool: DatabasePool

    /// Opens the file at `path`, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - name: The name in errors; nil for `path`.
    ///   - syncsEachCommit: Whether a commit is on the disk when it returns.
    /// - Throws: ``StoreError`` when it is no database, or another version wrote it.
    init(
        path: String, called name: String? = nil, syncsEachCommit: Bool = true, migrator: DatabaseMigrator
    ) throws {
        self.path = name ?? path
        // SQLite does not wait where another process makes, recovers or closes the file at the same time.
        let deadline = ContinuousClock.now + Self.longestWait
        while true {
            do {
                pool = try Self.open(path, syncsEachCommit: syncsEachCommit, migrator)
                break
            } catch let error as DatabaseError
                where [.SQLITE_BUSY, .SQLITE_CONSTRAINT].contains(error.resultCode)
                && ContinuousClock.now < deadline
            {
                usleep(10_000)
            } catch {
                throw Self.described(error, at: self.path)
            }
        }
        if try read(migrator.hasBeenSuperseded) {
            let known = migrator.migrations.map(Self.format).sorted()
            let format = try read(migrator.appliedIdentifiers).map(Self.format).max() ?? 0
            if format > known[known.count - 1] { throw StoreError(path: self.path, message: Release.newer) }
            throw StoreError(
                path: self.path, message: "was written by an earlier version of earshot",
                kind: .earlierVersion)
        }
    }

    /// The number at the end of the name of a migration; 0 if it has none.
    private static func format(_ migration: String) -> Int {
        migration.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    private static let longestWait = Duration.seconds(60)

    /// Opens the file, and brings it to the present version unless another version wrote it.
    private static func open(
        _ path: String, syncsEachCommit: Bool, _ migrator: DatabaseMigrator
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(Double(longestWait.components.seconds))
        let pool = try DurableSQLite.open(
            path, syncsEachCommit: syncsEachCommit, configuration: configuration)
        if try !pool.read(migrator.hasBeenSuperseded) { try migrator.migrate(pool) }
        return pool
    }

    /// Reads from one snapshot.
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        do { return try pool.read(body) } catch { throw Self.described(error, at: path) }
    }

    /// Writes in one transaction.
    func write(_ body: (Database) throws -> Void) throws {
        do { try pool.write(body) } catch { throw Self.described(error, at: path) }
    }

    /// Deletes all rows of tables, and gives their space back unless another process is using the file.
    func empty(_ tables: [String]) throws {
        try write { database in
            for table in tables { try database.execute(sql: "DELETE FROM \(table)") }
        }
        try? pool.vacuum()
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    /// SHA-256 over the key and the content of a row, in hexadecimal.
    static func digest(of key: [String], _ data: Data?) -> String {
        let hash = Digest()
        hash.update(key.joined(separator: "\n") + (data == nil ? "\nnone" : "\n"))
        if let data { hash.update(data) }
        return hash.finalize().hexadecimal
    }

    private static func described(_ error: any Error, at path: String) -> any Error {
        switch error {
        case let error as Damage: StoreError(path: path, message: error.message)
        case let error as DatabaseError: StoreError(path: path, error)
        case let error as DecodingError:
            StoreError(
                path: path, message: "this version cannot read a stored record: \(error.place)",
                kind: .earlierVersion)
        case let error as DegradationError:
            StoreError(
                path: path, message: "keeps a query that this version cannot make: \(error)",
                kind: .earlierVersion)
        default: error
        }
    }
}
