import DurableSQLite
import EarshotKit
import Foundation
import GRDB

/// The library of a version before 0.2, an SQLite file.
struct EarlierLibrary {
    let events: [LibraryEvent]
    let syncFolder: String?

    /// Reads the file at `path`.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if there is none, or it cannot be read.
    init(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw SHError(.mediaLibrarySyncFailed, message: "\(path): there is no library to convert")
        }
        do {
            (events, syncFolder) = try DurableSQLite.open(path).read { database in
                let additions = try Row.fetchAll(database, sql: "SELECT * FROM addition ORDER BY rowid").map {
                    LibraryEvent.addition(
                        LibraryEvent.Addition(
                            tag: try Self.tag($0), app: $0["app"], shazamID: $0["shazamID"],
                            clock: $0["clock"], item: $0["item"]))
                }
                let removals = try Row.fetchAll(database, sql: "SELECT tag FROM removal").map {
                    LibraryEvent.removal(tag: try Self.tag($0))
                }
                let folder = try String.fetchOne(
                    database, sql: "SELECT value FROM setting WHERE name = 'syncFolder'")
                return (additions + removals, folder)
            }
        } catch let error as DatabaseError {
            throw SHError(.mediaLibrarySyncFailed, message: "\(path): SQLite: \(error.message ?? "\(error)")")
        }
    }

    private static func tag(_ row: Row) throws -> UUID {
        guard let tag = UUID(uuidString: row["tag"]) else { throw DatabaseError(message: "a tag is no UUID") }
        return tag
    }
}
