import Observation

/// The items that this app has added to the user's library.
///
/// The library is the file `$XDG_DATA_HOME/earshot/library.jsonl`, shared by any number of processes.
/// Each app sees and removes only its own items. Machines that share a folder (``setSyncFolder(_:)``) share
/// the library. If one machine removes an item while another adds it again, the item stays.
///
/// An item's ``SHMediaItem/shazamID`` identifies it and must be all digits. Adding an existing item renews
/// it.
public final class SHLibrary: Observable, Sendable {
    /// The user's library for this app, by bundle identifier or process name.
    public static let `default` = SHLibrary(app: LibraryFolder.nameOfThisApp)

    /// The name under which items are stored.
    public let app: String

    private let store: Result<LibraryStore, SHError>
    private let registrar = ObservationRegistrar()
    @MainActor private var shown: [SHMediaItem]?

    /// Opens the user's library, or the one in `folder`, for the app `app`.
    ///
    /// If this fails, the library is empty, and adding and removing items throw the reason.
    public init(app: String, folder: URL? = nil) {
        self.app = app
        let path = folder?.path ?? LibraryFolder.path
        store = Result { try LibraryStore(folder: path) }.mapError { error in
            error as? SHError ?? SHError.syncFailed("\(path): \(error)")
        }
    }

    /// The app's items, latest first.
    ///
    /// Observable: changes by other processes appear within 0.2 s. Another machine's changes appear within 5
    /// s of the arrival of its journal.
    @MainActor public var items: [SHMediaItem] {
        registrar.access(self, keyPath: \.items)
        if let shown { return shown }
        let items = current() ?? []
        shown = items
        Self.watch(self)
        return items
    }

    /// Adds items, all or none; waits for other processes that change the library.
    ///
    /// An unreachable shared folder is no error: a later call writes to it.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the library cannot be written. Also if an item exceeds
    ///   12 MB or its ``SHMediaItem/shazamID`` is not all digits.
    public func addItems(_ items: [SHMediaItem]) async throws {
        try await change { [app] in try await $0.add(items, app: app) }
    }

    /// Removes items of this app, all or none, identified by ``SHMediaItem/shazamID``.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if an item is not among ``items`` or the library cannot be
    ///   written.
    public func removeItems(_ items: [SHMediaItem]) async throws {
        try await change { [app] in try await $0.remove(items, app: app) }
    }

    private func change(_ body: (LibraryStore) async throws -> Void) async throws {
        try await body(store.get())
        await trySynchronizing()
        await refresh()
    }

    /// The folder shared with other machines; nil if unset.
    public var syncFolder: URL? {
        guard let path = try? store.get().syncFolder() else { return nil }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    /// Sets the folder shared with other machines, for all apps of the user.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if it is no folder or the library cannot be written.
    public func setSyncFolder(_ folder: URL?) throws { try store.get().setSyncFolder(folder?.path) }

    /// Exchanges additions and removals with other machines now; no effect without a shared folder.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the folder fails. Nothing is lost.
    @discardableResult
    public func synchronize() async throws -> LibrarySyncReport? {
        let store = try store.get()
        guard let folder = try store.syncFolder() else { return nil }
        let report = try await onBlockingThread { try store.synchronize(with: folder) }
        await refresh()
        return report
    }

    /// Synchronises, ignoring an unreachable folder.
    private func trySynchronizing() async {
        guard let store = try? store.get(), let folder = try? store.syncFolder() else { return }
        _ = try? await onBlockingThread { try store.synchronize(with: folder) }
    }

    private func journals() -> Set<String>? {
        guard let folder = try? store.get().syncFolder() else { return nil }
        return LibraryJournal.state(of: folder)
    }

    private func current() -> [SHMediaItem]? { try? store.get().items(of: app) }

    /// Reads the library and notifies observers of a change.
    @MainActor private func refresh() {
        guard let shown, let items = current(), items != shown else { return }
        registrar.withMutation(of: self, keyPath: \.items) { self.shown = items }
    }

    /// Polls for changes by others until the library is deallocated.
    ///
    /// Reading the version takes microseconds and misses no change on any file system.
    private static func watch(_ library: SHLibrary) {
        Task.detached(priority: .utility) { [weak library] in
            // Nil: the first round also finds changes made since the items were first read.
            var seen: [Int]?
            var known: Set<String> = []
            var round = 0
            while true {
                try? await Task.sleep(for: .milliseconds(200))
                guard let library else { return }
                round += 1
                if round.isMultiple(of: 25), let journals = library.journals(), journals != known {
                    await library.trySynchronizing()
                    known = journals
                }
                let version = try? library.store.get().version()
                if version != seen {
                    seen = version
                    // Reads the file here, so that the main actor need not.
                    _ = library.current()
                    await library.refresh()
                }
            }
        }
    }
}

/// The result of a synchronisation with other machines' journals.
public struct LibrarySyncReport: Hashable, Sendable {
    /// The items received from other machines.
    public let received: Int
    /// The items removed by other machines.
    public let removed: Int
    /// The additions and removals written for other machines.
    public let sent: Int
    /// File, line and reason of each invalid line, and of each event that no line can hold.
    public let unreadable: [String]

    package init(received: Int, removed: Int, sent: Int, unreadable: [String]) {
        self.received = received
        self.removed = removed
        self.sent = sent
        self.unreadable = unreadable
    }
}

package enum LibraryFolder {
    /// `$XDG_DATA_HOME/earshot`, by default `~/.local/share/earshot`.
    ///
    /// A relative `XDG_DATA_HOME` is ignored, as the XDG specification requires.
    package static var path: String {
        if let home = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], home.hasPrefix("/") {
            return home + "/earshot"
        }
        return NSHomeDirectory() + "/.local/share/earshot"
    }

    /// This process's name in the library: its bundle identifier or process name.
    package static var nameOfThisApp: String {
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    }
}
