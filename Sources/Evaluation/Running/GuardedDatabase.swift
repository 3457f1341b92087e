import Foundation
import GRDB

/// An SQLite file whose errors name it.
final class GuardedDatabase: Sendable {
    let path: String
    private let pool: DatabasePool

    /// Opens the file at `path`, and makes it if there is none.
    ///
    /// - Parameter name: what errors call it; nil for `path`.
    /// - Throws: ``StoreError`` when it is no database, or another version wrote it.
    init(path: String, called name: String? = nil, migrator: DatabaseMigrator) throws {
        self.path = name ?? path
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(60)
            pool = try DatabasePool(path: path, configuration: configuration)
            if try pool.read(migrator.hasBeenSuperseded) {
                let applied = try pool.read(migrator.appliedIdentifiers)
                guard let first = migrator.migrations.first, applied.contains(first) else {
                    throw StoreError(
                        path: self.path, message: "was written by an earlier version of earshot",
                        kind: .earlierVersion)
                }
                throw StoreError(
                    path: self.path, message: "was written by a later version of earshot; use that version")
            }
            try migrator.migrate(pool)
        } catch let error as DatabaseError {
            throw StoreError(path: self.path, error)
        }
    }

    /// Reads from one snapshot.
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        do { return try pool.read(body) } catch { throw described(error) }
    }

    /// Writes in one transaction.
    func write(_ body: (Database) throws -> Void) throws {
        do { try pool.write(body) } catch { throw described(error) }
    }

    private func described(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError: StoreError(path: path, error)
        case let error as DecodingError:
            StoreError(path: path, message: "this version cannot read a stored record: \(error.place)")
        default: error
        }
    }
}
