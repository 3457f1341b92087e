import Foundation
import Observation

/// The items that this app has added to the user's library.
///
/// The library is a database on this machine, `$XDG_DATA_HOME/earshot/library.sqlite`, which any number of processes use
/// at once. Each app sees and removes only its own items. Where the user has named a folder to meet in
/// (``setSyncFolder(_:)``), machines that share that folder share the library: no item is lost, an item that one machine
/// adds again while another removes it stays.
///
/// An item is known by its ``SHMediaItem/shazamID``, which must consist of digits only; adding an item that is there
/// already renews it.
public final class SHLibrary: Observable, Sendable {
    /// The library of the user, as this app sees it: by its bundle's identifier or the name of its process.
    public static let `default` = SHLibrary(app: LibraryFolder.nameOfThisApp)

    /// The name that items are kept under.
    public let app: String

    private let store: Result<LibraryStore, SHError>
    private let registrar = ObservationRegistrar()
    @MainActor private var shown: [SHMediaItem]?

    /// Opens the library of the user, or the one in `folder`, as the app `app` sees it.
    ///
    /// A library that cannot be opened is empty, and adding and removing throw the reason.
    public init(app: String, folder: URL? = nil) {
        self.app = app
        let path = folder?.path ?? LibraryFolder.path
        store = Result { try LibraryStore(folder: path) }.mapError { error in
            error as? SHError ?? SHError(.mediaLibrarySyncFailed, message: "\(path): \(error)")
        }
    }

    /// The app's items, the one added last first.
    ///
    /// Observers are told when this app or another process of it adds or removes items, or another machine has: within
    /// 0.2 s, or within 5 s of the arrival of another machine's journal.
    @MainActor public var items: [SHMediaItem] {
        registrar.access(self, keyPath: \.items)
        if let shown { return shown }
        let items = current() ?? []
        shown = items
        Self.watch(self)
        return items
    }

    /// Adds items, all or none; waits for other processes that are changing the library.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when an item has no ``SHMediaItem/shazamID`` of digits only, or is too
    ///   large to be told to other machines (12 MB), or the library cannot be written. A folder to meet in that cannot be written is no error: it is told later.
    public func addItems(_ items: [SHMediaItem]) async throws {
        let store = try store.get()
        try await store.add(items, app: app)
        await meet()
        await refresh()
    }

    /// Removes items that this app has added, all or none; they are known by their ``SHMediaItem/shazamID``.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when an item is not among ``items`` (another app's, removed already,
    ///   or without a `shazamID`), or the library cannot be written.
    public func removeItems(_ items: [SHMediaItem]) async throws {
        let store = try store.get()
        try await store.remove(items, app: app)
        await meet()
        await refresh()
    }

    /// The folder in which machines exchange what they added and removed; nil when there is none.
    public var syncFolder: URL? {
        guard let path = try? store.get().syncFolder() else { return nil }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    /// Names the folder in which machines exchange what they added and removed, for all apps of the user.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when it is no folder, or the library cannot be written.
    public func setSyncFolder(_ folder: URL?) throws {
        try store.get().setSyncFolder(folder?.path)
    }

    /// Exchanges additions and removals with the other machines now; does nothing without a folder to meet in.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` when the folder cannot be read or written; nothing is lost.
    @discardableResult
    public func synchronize() async throws -> LibrarySyncReport? {
        let store = try store.get()
        guard let folder = try store.syncFolder() else { return nil }
        let report = try await aside { try store.synchronize(with: folder) }
        await refresh()
        return report
    }

    /// As ``synchronize()``, where a folder that is out of reach can wait.
    private func meet() async {
        guard let store = try? store.get(), let folder = try? store.syncFolder() else { return }
        _ = try? await aside { try store.synchronize(with: folder) }
    }

    /// What tells whether another machine has told anything; nil without a folder to meet in.
    private func journals() -> Set<String>? {
        guard let folder = try? store.get().syncFolder() else { return nil }
        return LibraryJournal.state(of: folder)
    }

    private func current() -> [SHMediaItem]? { try? store.get().items(of: app) }

    /// Shows what is in the database now; observers are told if it is something else.
    @MainActor private func refresh() {
        guard let shown, let items = current(), items != shown else { return }
        registrar.withMutation(of: self, keyPath: \.items) { self.shown = items }
    }

    /// Looks for changes by others until the library is let go of.
    ///
    /// The version of an SQLite file is a number in shared memory: asking for it costs microseconds, works on every file
    /// system, and cannot miss a commit.
    private static func watch(_ library: SHLibrary) {
        Task.detached(priority: .utility) { [weak library] in
            // None seen yet: what was committed since the items were first read is found in the first round.
            var seen: Int?
            var met: Set<String> = []
            var round = 0
            while true {
                try? await Task.sleep(for: .milliseconds(200))
                guard let library else { return }
                round += 1
                if round.isMultiple(of: 25), let journals = library.journals(), journals != met {
                    await library.meet()
                    met = journals
                }
                let version = try? library.store.get().version()
                if version != seen {
                    seen = version
                    await library.refresh()
                }
            }
        }
    }
}
