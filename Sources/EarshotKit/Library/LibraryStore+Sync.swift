import Foundation
import GRDB

extension LibraryStore {
    /// The folder that machines meet in; nil when there is none.
    package func syncFolder() throws -> String? { try setting("syncFolder") }

    /// Names the folder that machines meet in, for all apps of this user.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when the path is relative, or is no folder.
    package func setSyncFolder(_ path: String?) throws {
        if let path {
            var isFolder: ObjCBool = false
            guard path.hasPrefix("/"), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                throw SHError(
                    .mediaLibrarySyncFailed,
                    message: "\(path): expected the absolute path of a folder that there is")
            }
        }
        try described {
            try pool.write { database in
                try database.execute(sql: "DELETE FROM setting WHERE name = 'syncFolder'")
                if let path {
                    try database.execute(
                        sql: "INSERT INTO setting (name, value) VALUES ('syncFolder', ?)", arguments: [path])
                }
            }
        }
    }

    /// Takes in what the journals of a folder tell, and tells what none of them does; waits while another process of
    /// this machine is at it.
    ///
    /// What the library holds is never taken for removed because a journal is missing: only a removal removes. What a
    /// lost journal told is told again by whoever heard it.
    /// - Throws: `SHError.mediaLibrarySyncFailed` when folder or database cannot be read or written; the library is
    ///   whole, and the next time goes on.
    package func synchronize(with journals: String) throws -> LibrarySyncReport {
        try FileLock.holding(folder + "/sync.lock") {
            let contents = try LibraryJournal.readAll(in: journals)
            let (received, removed) = try described { try pool.write { try Self.merge(contents, into: $0) } }
            let news = try described { try pool.read { try Self.events(in: $0, missingFrom: contents) } }
            var unreadable = contents.unreadable
            var lines: [Data] = []
            for event in news {
                do throws(LibraryEvent.LineError) { lines.append(try event.line()) } catch {
                    unreadable.append("\(pool.path): \(event.name): \(error.reason)")
                }
            }
            let path = try lines.isEmpty ? nil : "\(journals)/\(journalName())"
            // What no one reads, this machine included, would be told anew each time.
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
        for (tag, addition) in contents.additions where !contents.removals.contains(tag) {
            guard !here.contains(tag.uuidString), !gone.contains(tag.uuidString) else { continue }
            try insert(addition, in: database)
            counts.received += 1
        }
        return counts
    }

    private static func events(
        in database: Database, missingFrom contents: LibraryJournal.Contents
    ) throws -> [LibraryEvent] {
        let additions = try Row.fetchAll(database, sql: "SELECT * FROM addition ORDER BY clock, tag")
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

    /// The name of this machine's journal, made up when it is first needed.
    ///
    /// It is kept under the machine's own identity, so that a home folder copied to another machine does not make two
    /// machines write one file.
    private func journalName() throws -> String {
        let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8))
        let name =
            "journal of "
            + (machine ?? ProcessInfo.processInfo.hostName).trimmingCharacters(in: .whitespacesAndNewlines)
        try described {
            try pool.write { database in
                try database.execute(
                    sql: "INSERT OR IGNORE INTO setting (name, value) VALUES (?, ?)",
                    arguments: [name, UUID().uuidString.lowercased()])
            }
        }
        return LibraryJournal.prefix + (try setting(name) ?? "") + LibraryJournal.suffix
    }

    private func setting(_ name: String) throws -> String? {
        try described {
            try pool.read {
                try String.fetchOne($0, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
            }
        }
    }
}
