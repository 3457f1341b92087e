import Fingerprinting
import Foundation
import GRDB

extension LibraryStore {
    /// The items of an app, the one added last first.
    package func items(of app: String) throws -> [SHMediaItem] {
        try described {
            try pool.read { database in
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT tag, shazamID, item FROM addition WHERE app = ? ORDER BY clock DESC, tag DESC
                        """,
                    arguments: [app])
                var seen: Set<String> = []
                return try rows.compactMap { row in
                    // Two machines may have added one item before they heard of each other: the later counts.
                    guard seen.insert(row["shazamID"]).inserted else { return nil }
                    let bytes: Data = row["item"]
                    let name = "\(pool.path): item \(row["tag"] as String)"
                    return SHMediaItem(stored: try MediaItem(encoded: Array(bytes), name: name))
                }
            }
        }
    }

    /// The apps that have items, in order, and how many additions each.
    package func apps() throws -> [(name: String, count: Int)] {
        try described {
            try pool.read { database in
                try Row.fetchAll(
                    database,
                    sql:
                        "SELECT app, COUNT(DISTINCT shazamID) AS count FROM addition GROUP BY app ORDER BY app"
                ).map { ($0["app"], $0["count"]) }
            }
        }
    }

    /// Adds items of an app: all, or none.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the item, when one has no `shazamID` of digits only, or is
    ///   larger than a line of a journal may be.
    package func add(_ items: [SHMediaItem], app: String) async throws {
        let added = try items.map { item in
            (id: try Self.identity(of: item), bytes: Data(try Self.bytes(of: item)))
        }
        guard !added.isEmpty else { return }
        try await change { database in
            var clock = try Int64.fetchOne(database, sql: "SELECT MAX(clock) FROM addition") ?? 0
            for item in added {
                // An item that is there already is renewed: its old additions go.
                try Self.removeAdditions(of: item.id, app: app, in: database)
                // A foreign clock may be the last there is: what is added then shares it.
                clock = min(clock + 1, LibraryEvent.clockLimit - 1)
                let addition = LibraryEvent.Addition(
                    tag: UUID(), app: app, shazamID: item.id, clock: clock, item: item.bytes)
                try Self.expectLine(of: addition)
                try Self.insert(addition, in: database)
            }
        }
    }

    /// Makes sure that other machines can be told of an addition.
    private static func expectLine(of addition: LibraryEvent.Addition) throws {
        do throws(LibraryEvent.LineError) { _ = try LibraryEvent.addition(addition).line() } catch {
            throw SHError(
                .mediaLibrarySyncFailed,
                message: "the item with the Shazam ID \(addition.shazamID) cannot be stored: its line"
                    + " in a journal \(error.reason)")
        }
    }

    /// Removes items of an app: all, or none.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the item, when one is not among those of the app.
    package func remove(_ items: [SHMediaItem], app: String) async throws {
        let removed = try Set(items.map(Self.identity)).sorted()
        guard !removed.isEmpty else { return }
        let path = pool.path
        try await change { database in
            for id in removed where try !Self.removeAdditions(of: id, app: app, in: database) {
                throw SHError(
                    .mediaLibrarySyncFailed,
                    message: "\(path): \(app) has added no item with the Shazam ID \(id); nothing was removed"
                )
            }
        }
    }

    /// The Shazam ID of an item.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when it has none or one of other characters than digits.
    private static func identity(of item: SHMediaItem) throws -> String {
        guard let id = item.shazamID, !id.isEmpty, id.utf8.allSatisfy({ (48...57).contains($0) }) else {
            let found = item.shazamID.map { "has the Shazam ID \"\($0)\"" } ?? "has no Shazam ID"
            throw SHError(
                .mediaLibrarySyncFailed,
                message: "the item \"\(item.title ?? "")\" \(found); one of digits only is needed")
        }
        return id
    }

    private static func bytes(of item: SHMediaItem) throws -> [UInt8] {
        do { return try item.stored.encoded() } catch {
            throw SHError(
                .mediaLibrarySyncFailed,
                message: "the item \"\(item.title ?? "")\" cannot be stored: \(error)")
        }
    }

    private func change(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
        do { try await pool.write(body) } catch { throw described(error) }
    }

    static func insert(_ addition: LibraryEvent.Addition, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO addition (tag, app, shazamID, clock, item) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                addition.tag.uuidString, addition.app, addition.shazamID, addition.clock, addition.item,
            ])
    }

    /// Takes all additions of an item away; gives whether there were any.
    @discardableResult
    private static func removeAdditions(
        of shazamID: String, app: String, in database: Database
    ) throws -> Bool {
        let tags = try String.fetchAll(
            database, sql: "SELECT tag FROM addition WHERE app = ? AND shazamID = ?",
            arguments: [app, shazamID])
        for tag in tags { try removeAddition(tag, in: database) }
        return !tags.isEmpty
    }

    /// Takes an addition away, for good: should it be heard of again, it does not come back.
    static func removeAddition(_ tag: String, in database: Database) throws {
        try database.execute(sql: "INSERT OR IGNORE INTO removal (tag) VALUES (?)", arguments: [tag])
        try database.execute(sql: "DELETE FROM addition WHERE tag = ?", arguments: [tag])
    }
}
