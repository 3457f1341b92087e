import EarshotKit
import Fingerprinting
import Logging
import Synchronization
import SystemIO

/// The catalog as it is now: files that are opened again when they change, a store that clients change, and parts on other
/// servers.
final class LiveCatalog: Sendable {
    private struct State {
        var stamps: [FileStamp?] = []
        var files: [ServedSegment] = []
        var stored: [ServedSegment] = []
        var served = ServedCatalog([], generation: 0)
        var reportedDamage: Set<String> = []

        mutating func serve() {
            served = ServedCatalog(stored + files, generation: served.generation + 1)
        }
    }

    private let paths: [String]
    private let parts: CatalogParts
    private let log: Logger
    private let state: StateBox
    private let store: CatalogStore?
    /// Held by who changes references or files, so that no identifier gets into both.
    private let changing = Mutex(())

    /// The store publishes to it, so it outlives neither.
    private final class StateBox: Sendable {
        let state = Mutex(State())
    }

    /// Opens files and the store in a folder; the parts are known after ``refreshParts()``.
    init(
        files paths: [String], store folder: String?, setsAsideDamaged: Bool, parts addresses: [String],
        log: Logger
    ) throws {
        self.paths = paths
        parts = try CatalogParts(addresses, log: log)
        self.log = log
        let box = StateBox()
        state = box
        store = try folder.map { folder in
            try CatalogStore(folder: folder, setsAsideDamaged: setsAsideDamaged, log: log) { segments in
                box.state.withLock { state in
                    state.stored = segments.map(\.served)
                    state.serve()
                }
            }
        }
        let stamps = paths.map { FileStamp(path: $0) }
        try take(paths.map { try open($0) }, stamps)
    }

    private func open(_ path: String) throws -> IndexedCatalog {
        let catalog = try CatalogFile.open(path)
        if let source = catalog.source, !source.hasCurrentIndex {
            log.notice("\(path): has version \(source.version); its index was made in memory")
        }
        return try IndexedCatalog(catalog)
    }

    /// The most connections to parts.
    var mostPartConnections: Int { parts.mostConnections }

    /// The parts of the store that were set aside and are not served.
    var setAside: [StoreFolder.SetAside] { store?.setAside ?? [] }

    var current: ServedCatalog { state.state.withLock { $0.served } }

    var facts: CatalogFacts {
        let current = current
        return CatalogFacts(
            references: current.referenceCount + parts.referenceCount,
            hours: current.whole.hours + parts.hours, generation: current.generation,
            isPartial: parts.isPartial || !current.damage.isEmpty, servers: parts.servers)
    }

    /// Asks all parts, then matches here when it is the client's turn.
    func match(
        _ signature: Signature, _ options: MatchOptions, for client: String, on workers: FairWorkers
    ) async throws -> MatchReply {
        let current = current
        let hours = options.wholeHours ?? (current.whole.hours + parts.hours)
        let replies =
            parts.isEmpty
            ? PartReplies()
            : await parts.candidates(
                for: signature, followSeconds: options.followSeconds, wholeHours: hours,
                hops: options.hops + 1)
        return try await workers.run(for: client) {
            try current.match(signature, options, ofHours: hours, parts: replies)
        }
    }

    /// - Parameter hops: How many servers have passed the request on.
    func item(shazamID: String, hops: Int) async throws -> SHMediaItem? {
        let here = Result { try current.item(shazamID: shazamID) }
        if case .success(let item?) = here { return item }
        if let item = try await parts.item(shazamID: shazamID, hops: hops + 1) { return item }
        return try here.get()
    }

    /// Finds out which parts are there.
    func refreshParts() async { await parts.refresh() }

    /// Serves the catalogs of the files; of references with one identifier the first counts, those of the store before.
    private func take(_ catalogs: [IndexedCatalog], _ stamps: [FileStamp?]) throws {
        var files: [ServedSegment] = []
        let stored = state.state.withLock { $0.stored }
        for contents in catalogs {
            var removed: Set<Int> = []
            let before = stored + files
            if !before.isEmpty {
                for place in contents.catalog.entries.indices {
                    let id = try contents.catalog.entry(at: place).id
                    guard try before.contains(where: { try $0.place(ofID: id) != nil }) else { continue }
                    removed.insert(place)
                }
            }
            if !removed.isEmpty {
                log.warning("\(removed.count) references have identifiers of others, and are left out")
            }
            files.append(ServedSegment(contents: contents, removed: removed))
        }
        state.state.withLock { state in
            state.files = files
            state.stamps = stamps
            state.serve()
        }
    }

    /// Opens the files that have changed; one that cannot be opened leaves the old one in use.
    func refresh() {
        changing.withLock { _ in openChanged() }
        for damage in current.damage
        where state.state.withLock({ $0.reportedDamage.insert("\(damage)").inserted }) {
            log.error("answers are partial: \(damage)")
        }
    }

    private func openChanged() {
        let (old, files) = state.state.withLock { ($0.stamps, $0.files) }
        let stamps = paths.map { FileStamp(path: $0) }
        let changed = paths.indices.filter { stamps[$0] != old[$0] && stamps[$0] != nil }
        guard !changed.isEmpty else { return }
        var catalogs = files.map(\.contents)
        for place in changed {
            do {
                catalogs[place] = try open(paths[place])
                log.notice("opened \(paths[place])")
            } catch {
                log.error("the old catalog stays in use: \(error)")
            }
        }
        do { try take(catalogs, stamps) } catch {
            // The next look tries no more until a file changes again.
            state.state.withLock { $0.stamps = stamps }
            log.error("the old catalogs stay in use: \(error)")
        }
    }

    /// Adds a reference to the store, or replaces that of its identifier; returns whether there was one.
    func put(_ reference: Reference, replacing: Bool) throws -> Bool {
        try changing.withLock { _ in try storeFor(reference.id).put(reference, replacing: replacing) }
    }

    /// Removes a reference of the store; returns whether there was one.
    func remove(_ id: String) throws -> Bool {
        try changing.withLock { _ in try storeFor(id).remove(id) }
    }

    private func storeFor(_ id: String) throws -> CatalogStore {
        guard let store else {
            throw CatalogFault(
                .readOnly, "this server takes no changes",
                remedy: "Start it with --store FOLDER and --tokens FILE.")
        }
        let files = state.state.withLock { $0.files }
        // Also one that is left out because the store has the identifier: it would be missed once the store's is removed.
        guard try !files.contains(where: { try $0.contents.place(ofID: id) != nil }) else {
            throw CatalogFault(
                .readOnly, "the reference is in a catalog file, which clients cannot change",
                remedy: "Change the file, or use another identifier.")
        }
        return store
    }
}
