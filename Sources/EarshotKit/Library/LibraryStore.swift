import Fingerprinting
import GRDB
import SystemIO

/// A user's library: one SQLite file shared by any number of processes.
///
/// Write-ahead logging survives a killed process at any time. A completed change is on disk.
package final class LibraryStore: Sendable {
    package let folder: String
    private let pool: DatabasePool
    /// Sees commits of all other connections, also in this process.
    private let watcher: DatabaseQueue

    package static let fileName = "library.sqlite"

    /// Opens the library in `folder`, which it creates if missing.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the file, if it cannot be opened, is no library or
    ///   has a later version.
    package init(folder: String) throws {
        self.folder = folder
        let path = folder + "/" + Self.fileName
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // Only one process may create the file.
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
            throw SHError.syncFailed("\(path): was written by a later version; update this program")
        }
        try migrator.migrate(pool)
        return pool
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        configuration.prepareDatabase { database in
            // Commits survive a power loss.
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

    /// A number that changes with every commit of another connection.
    package func version() throws -> Int {
        try read(from: watcher) { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
    }

    private func read<T>(from reader: (any DatabaseReader)? = nil, _ body: (Database) throws -> T) throws -> T
    {
        do { return try (reader ?? pool).read(body) } catch { throw described(error) }
    }

    private func write<T>(_ body: (Database) throws -> T) throws -> T {
        defer { checkpoint() }
        do { return try pool.write(body) } catch { throw described(error) }
    }

    /// Moves what was written into the library's file, so that a copy of this file alone is a library.
    ///
    /// A failure loses nothing: the next one moves it.
    private func checkpoint() { _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.passive) } }

    private func described(_ error: any Error) -> any Error { Self.described(error, path: pool.path) }

    private static func described(_ error: any Error, path: String) -> any Error {
        switch error {
        case is SHError, is CancellationError: return error
        case let error as DatabaseError:
            let text = error.message ?? "\(error.resultCode)"
            return SHError.syncFailed("\(path): SQLite: \(text) (code \(error.resultCode.rawValue))")
        case let error as FingerprintingError: return SHError.syncFailed(error.description)
        default: return SHError.syncFailed("\(path): \(error.localizedDescription)")
        }
    }
}

extension LibraryStore {
    /// The items of an app, latest first.
    package func items(of app: String) throws -> [SHMediaItem] {
        try read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT tag, shazamID, item FROM addition WHERE app = ?
                    ORDER BY clock DESC, CASE WHEN clock = ? THEN rowid END DESC, tag DESC
                    """,
                arguments: [app, LibraryEvent.clockLimit - 1])
            var seen: Set<String> = []
            return try rows.compactMap { row in
                // Two machines may have added the same item before they synchronised. The later one
                // counts.
                guard seen.insert(row["shazamID"]).inserted else { return nil }
                let bytes: Data = row["item"]
                let name = "\(pool.path): item \(row["tag"] as String)"
                return SHMediaItem(stored: try MediaItem(encoded: Array(bytes), name: name))
            }
        }
    }

    /// The apps that have items, by name, with the number of items.
    package func apps() throws -> [(name: String, count: Int)] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT app, COUNT(DISTINCT shazamID) AS count FROM addition GROUP BY app ORDER BY app"
            ).map { ($0["app"], $0["count"]) }
        }
    }

    /// Adds items of an app, all or none.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the item, if its `shazamID` is not all digits or it
    ///   is too large for a journal line.
    package func add(_ items: [SHMediaItem], app: String) async throws {
        for item in items { try item.expectStorable(.mediaLibrarySyncFailed) }
        let added = try items.map { item in
            (id: try Self.identity(of: item), bytes: Data(try Self.bytes(of: item)))
        }
        guard !added.isEmpty else { return }
        try await change { database in
            var clock = try Int64.fetchOne(database, sql: "SELECT MAX(clock) FROM addition") ?? 0
            for item in added {
                // Adding an existing item renews it.
                try Self.removeAdditions(of: item.id, app: app, in: database)
                // A foreign clock may already be at the limit. Then items go by the order of their arrival.
                clock = min(clock + 1, LibraryEvent.clockLimit - 1)
                let addition = LibraryEvent.Addition(
                    tag: UUID(), app: app, shazamID: item.id, clock: clock, item: item.bytes)
                try Self.expectLine(of: addition)
                try Self.insert(addition, in: database)
            }
        }
    }

    /// Checks that a journal line can hold the addition.
    private static func expectLine(of addition: LibraryEvent.Addition) throws {
        do throws(LibraryEvent.LineError) { _ = try LibraryEvent.addition(addition).line() } catch {
            throw SHError.syncFailed(
                "the item with the Shazam ID \(addition.shazamID) cannot be stored: its line"
                    + " in a journal \(error.reason)")
        }
    }

    /// Removes items of an app, all or none.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the item, if the app has no such item.
    package func remove(_ items: [SHMediaItem], app: String) async throws {
        let removed = try Set(items.map(Self.identity)).sorted()
        guard !removed.isEmpty else { return }
        let path = pool.path
        try await change { database in
            for id in removed where try !Self.removeAdditions(of: id, app: app, in: database) {
                throw SHError.syncFailed(
                    "\(path): \(app) has added no item with the Shazam ID \(id); nothing was removed")
            }
        }
    }

    /// The Shazam ID of an item.
    /// - Throws: `SHError.mediaLibrarySyncFailed` unless it is all digits.
    private static func identity(of item: SHMediaItem) throws -> String {
        guard let id = item.libraryID else {
            let found = item.shazamID.map { "has the Shazam ID \"\($0)\"" } ?? "has no Shazam ID"
            throw SHError.syncFailed(
                "the item \"\(item.title ?? "")\" \(found); one of digits only is needed")
        }
        return id
    }

    private static func bytes(of item: SHMediaItem) throws -> [UInt8] {
        do { return try item.stored.encoded() } catch {
            throw SHError.syncFailed("the item \"\(item.title ?? "")\" cannot be stored: \(error)")
        }
    }

    private func change(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
        defer { checkpoint() }
        do { try await pool.write(body) } catch { throw described(error) }
    }

    private static func insert(_ addition: LibraryEvent.Addition, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO addition (tag, app, shazamID, clock, item) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                addition.tag.uuidString, addition.app, addition.shazamID, addition.clock, addition.item,
            ])
    }

    /// Removes all additions of an item; returns whether there were any.
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

    /// Removes an addition permanently: receiving it again does not restore it.
    private static func removeAddition(_ tag: String, in database: Database) throws {
        try database.execute(sql: "INSERT OR IGNORE INTO removal (tag) VALUES (?)", arguments: [tag])
        try database.execute(sql: "DELETE FROM addition WHERE tag = ?", arguments: [tag])
    }
}

extension LibraryStore {
    package func syncFolder() throws -> String? { try setting("syncFolder") }

    /// Sets the shared folder for all apps of this user.
    /// - Throws: `SHError.mediaLibrarySyncFailed` unless the path is absolute and names a folder.
    package func setSyncFolder(_ path: String?) throws {
        if let path {
            var isFolder: ObjCBool = false
            guard path.hasPrefix("/"), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                throw SHError.syncFailed("\(path): expected the absolute path of a folder that there is")
            }
        }
        try write { database in
            try database.execute(sql: "DELETE FROM setting WHERE name = 'syncFolder'")
            if let path {
                try database.execute(
                    sql: "INSERT INTO setting (name, value) VALUES ('syncFolder', ?)", arguments: [path])
            }
        }
    }

    /// Merges the journals of a folder and appends the events that none of them has.
    ///
    /// Waits for other processes of this machine. Only a removal event removes an item; a missing journal
    /// does not. Any machine that has read a lost journal writes its events again.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the folder or database fails. The library stays valid,
    ///   and the next call continues.
    package func synchronize(with journals: String) throws -> LibrarySyncReport {
        try FileLock.holding(folder + "/sync.lock") {
            let contents = try LibraryJournal.readAll(in: journals)
            let (received, removed) = try write { try Self.merge(contents, into: $0) }
            let news = try read { try Self.events(in: $0, missingFrom: contents) }
            var unreadable = contents.unreadable
            var lines: [Data] = []
            for event in news {
                do throws(LibraryEvent.LineError) { lines.append(try event.line()) } catch {
                    unreadable.append("\(pool.path): \(event.name): \(error.reason)")
                }
            }
            let path = try lines.isEmpty ? nil : "\(journals)/\(journalName())"
            // Nobody, not even this machine, reads a skipped file. Appending would repeat each time.
            if let path, !contents.spoiled.contains(path) {
                try LibraryJournal.append(lines, to: path)
            } else {
                lines = []
            }
            return LibrarySyncReport(
                received: received, removed: removed, sent: lines.count, unreadable: unreadable)
        }
    }

    private static func merge(
        _ contents: LibraryJournal.Contents, into database: Database
    ) throws -> (received: Int, removed: Int) {
        var counts = (received: 0, removed: 0)
        let gone = Set(try String.fetchAll(database, sql: "SELECT tag FROM removal"))
        let here = Set(try String.fetchAll(database, sql: "SELECT tag FROM addition"))
        for tag in contents.removals.map(\.uuidString) where !gone.contains(tag) {
            try removeAddition(tag, in: database)
            if here.contains(tag) { counts.removed += 1 }
        }
        for tag in contents.order where !contents.removals.contains(tag) {
            guard !here.contains(tag.uuidString), !gone.contains(tag.uuidString),
                let addition = contents.additions[tag]
            else { continue }
            try insert(addition, in: database)
            counts.received += 1
        }
        return counts
    }

    private static func events(
        in database: Database, missingFrom contents: LibraryJournal.Contents
    ) throws -> [LibraryEvent] {
        let additions = try Row.fetchAll(database, sql: "SELECT * FROM addition ORDER BY clock, rowid")
            .compactMap {
                row -> LibraryEvent? in
                guard let tag = UUID(uuidString: row["tag"]), contents.additions[tag] == nil else {
                    return nil
                }
                return .addition(
                    LibraryEvent.Addition(
                        tag: tag, app: row["app"], shazamID: row["shazamID"], clock: row["clock"],
                        item: row["item"]))
            }
        let removals = try String.fetchAll(database, sql: "SELECT tag FROM removal ORDER BY tag")
            .compactMap(UUID.init(uuidString:))
            .filter { !contents.removals.contains($0) }
        return additions + removals.map(LibraryEvent.removal)
    }

    /// The name of this machine's journal, generated on first use.
    ///
    /// It is stored per machine ID. So a copied home folder does not make two machines write one file.
    private func journalName() throws -> String {
        let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8))
        let name =
            "journal of "
            + (machine ?? ProcessInfo.processInfo.hostName).trimmingCharacters(in: .whitespacesAndNewlines)
        try write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?)",
                arguments: [name, UUID().uuidString.lowercased()])
        }
        return LibraryJournal.prefix + (try setting(name) ?? "") + LibraryJournal.suffix
    }

    private func setting(_ name: String) throws -> String? {
        try read {
            try String.fetchOne($0, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
        }
    }
}

extension SHError {
    static func syncFailed(_ message: String) -> SHError {
        SHError(.mediaLibrarySyncFailed, message: message)
    }
}

extension FileLock {
    /// Runs `body` while holding the lock of the file at `path`; waits for it.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the file cannot be opened or locked; errors of `body`.
    static func holding<T>(_ path: String, _ body: () throws -> T) throws -> T {
        let lock: FileLock
        do {
            lock = try FileLock(path, mode: 0o600, longestWait: .infinity)
        } catch {
            let action = if case .cannotOpen = error { "opened" } else { "locked" }
            throw SHError.syncFailed("\(path): cannot be \(action): \(error)")
        }
        return try withExtendedLifetime(lock, body)
    }
}

extension SHMediaItem {
    /// The Shazam ID, which identifies the item in a library; nil unless it is all digits.
    var libraryID: String? {
        guard let id = shazamID, !id.isEmpty, id.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return id
    }
}
