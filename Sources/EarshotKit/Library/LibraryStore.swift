import Fingerprinting
import Synchronization
import SystemIO

/// A user's library: one file shared by any number of processes.
///
/// A change replaces the whole file under a lock. It is done entirely or not at all, also if the process is killed. A
/// completed change is on disk. Readers need no lock.
package final class LibraryStore: Sendable {
    package static let fileName = "library.jsonl"
    /// The SQLite file of versions before 0.2.
    package static let earlierFileName = "library.sqlite"

    package let folder: String
    /// What was read last.
    private let known = Mutex<(version: [Int]?, contents: LibraryContents)>((nil, LibraryContents()))

    /// Opens the library in `folder`, which it creates if missing.
    ///
    /// - Parameter earlier: What the file of an earlier version holds. The library takes it.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the file and the line, if it cannot be read, is damaged or has
    ///   another format.
    package init(folder: String, earlier: (events: [LibraryEvent], syncFolder: String?)? = nil) throws {
        self.folder = folder
        do {
            try SyncedFolder.make(folder, mode: 0o700)
        } catch { throw SHError.syncFailed("\(error)") }
        let earlierPath = folder + "/" + Self.earlierFileName
        if let earlier {
            try change { contents in
                for event in earlier.events { try contents.take(event) }
                contents.settings["syncFolder"] = contents.settings["syncFolder"] ?? earlier.syncFolder
            }
        } else if version() == nil, FileManager.default.fileExists(atPath: earlierPath) {
            throw SHError.syncFailed(
                "\(earlierPath): was written by an earlier version. Run `earshot library update`")
        }
        _ = try contents()
    }

    private var path: String { folder + "/" + Self.fileName }

    /// Numbers that differ after each change; nil if there is no file.
    package func version() -> [Int]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return [
            status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec, status.st_size,
            Int(truncatingIfNeeded: status.st_ino),
        ]
    }

    private func contents() throws -> LibraryContents {
        try known.withLock { known in
            let version = version()
            if version == nil || version != known.version { known = (version, try read()) }
            return known.contents
        }
    }

    private func read() throws -> LibraryContents {
        var journal = LibraryJournal.Contents()
        try LibraryJournal.read(path, mayGrow: false, into: &journal)
        if let message = journal.unreadable.first { throw SHError.syncFailed(message) }
        guard journal.events.hasHeader || version() == nil else {
            throw SHError.syncFailed("\(path): line 1: expected a line with the event \"journal\"")
        }
        return journal.events
    }

    private func change<T>(_ body: (inout LibraryContents) throws -> T) throws -> T {
        // Only one process may write the file.
        try FileLock.holding(folder + "/library.lock") {
            var contents = try contents()
            contents.isChanged = false
            let result = try body(&contents)
            if contents.isChanged { try write(contents) }
            return result
        }
    }

    private func write(_ contents: LibraryContents) throws {
        let before = version()
        let header = try LibraryEvent.header(settings: contents.settings).line()
        let bytes = contents.lines().reduce(into: header, +=)
        do { try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path) } } catch {
            throw SHError.syncFailed("\(error)")
        }
        // Two changes may fall on one tick of the clock. The second gets a later time.
        if let before, let after = version(), after[0] <= before[0] {
            let time = timespec(
                tv_sec: (before[0] + 1) / 1_000_000_000, tv_nsec: (before[0] + 1) % 1_000_000_000)
            utimensat(AT_FDCWD, path, [time, time], 0)
        }
        known.withLock { $0 = (version(), contents) }
    }
}

extension LibraryStore {
    /// The items of an app, latest first.
    package func items(of app: String) throws -> [SHMediaItem] { try contents().items(of: app) }

    /// The apps that have items, by name, with the number of items.
    package func apps() throws -> [(name: String, count: Int)] { try contents().apps }

    /// Adds items of an app, all or none.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the item, if its `shazamID` is not all digits or it
    ///   is too large for a line.
    package func add(_ items: [SHMediaItem], app: String) async throws {
        for item in items { try item.expectStorable(.mediaLibrarySyncFailed) }
        let added = try items.map { item in
            (shazamID: try Self.identity(of: item), bytes: Data(try Self.bytes(of: item)))
        }
        try await onBlockingThread { try self.change { try $0.add(added, app: app) } }
    }

    /// Removes items of an app, all or none.
    /// - Throws: `SHError.mediaLibrarySyncFailed`, naming the item, if the app has no such item.
    package func remove(_ items: [SHMediaItem], app: String) async throws {
        let removed = try Set(items.map(Self.identity))
        try await onBlockingThread { try self.change { try $0.remove(removed, app: app) } }
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
}

extension LibraryStore {
    package func syncFolder() throws -> String? { try contents().settings["syncFolder"] }

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
        try change { $0.settings["syncFolder"] = path }
    }

    /// Merges the journals of a folder and appends the events that none of them has.
    ///
    /// Waits for other processes of this machine. Only a removal event removes an item; a missing journal
    /// does not. Any machine that has read a lost journal writes its events again.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the folder or library fails. The library stays valid,
    ///   and the next call continues.
    package func synchronize(with folder: String) throws -> LibrarySyncReport {
        try FileLock.holding(self.folder + "/sync.lock") {
            let journals = try LibraryJournal.readAll(in: folder)
            let (merged, lines) = try change { contents in
                (contents.take(journals.events), contents.lines(missingFrom: journals.events))
            }
            var sent = 0
            if !lines.isEmpty {
                let journal = try "\(folder)/\(journalName())"
                // Nobody, not even this machine, reads a skipped file. Appending would repeat each time.
                if !journals.spoiled.contains(journal) {
                    try LibraryJournal.append(lines, to: journal)
                    sent = lines.count
                }
            }
            return LibrarySyncReport(
                received: merged.received, removed: merged.removed, sent: sent,
                unreadable: journals.unreadable)
        }
    }

    /// The name of this machine's journal, generated on first use.
    ///
    /// It is stored per machine ID. So a copied home folder does not make two machines write one file.
    private func journalName() throws -> String {
        let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8))
        let name =
            "journal of "
            + (machine ?? ProcessInfo.processInfo.hostName).trimmingCharacters(in: .whitespacesAndNewlines)
        let id = try change { contents in
            if let id = contents.settings[name] { return id }
            let id = UUID().uuidString.lowercased()
            contents.settings[name] = id
            return id
        }
        return LibraryJournal.prefix + id + LibraryJournal.suffix
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
