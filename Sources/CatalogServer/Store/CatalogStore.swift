internal import CMalloc
import EarshotKit
import Fingerprinting
import Foundation
import GRDB
import Logging
import Synchronization
import SystemIO

/// References that clients add, replace and remove while they are served.
///
/// A folder has immutable segments, `segment-N.earcatalog`, and a manifest in SQLite with the latest references. A change is
/// in the manifest before it is answered. Soon after, the latest references are searched in memory, in one open segment,
/// which each change rebuilds. A full one becomes a file, and many small files are merged. Killed at any time, the folder
/// has every answered change: a file counts only once the manifest names it.
final class CatalogStore: Sendable {
    fileprivate struct State {
        var segments: [StoredSegment]
        /// The references of the open segment that are still there.
        var open: [StoreManifest.Row] = []
        /// References in the manifest that are not searched yet.
        var fresh: [StoreManifest.Row] = []
        /// Those that are being indexed, and which of them or of the open segment have been replaced or removed meanwhile.
        var building: [StoreManifest.Row] = []
        var goneWhileBuilding: Set<String> = []
        var isPublishing = false
        var isMerging = false
    }

    /// The parts that were set aside and are not served.
    let setAside: [StoreFolder.SetAside]
    private let folder: StoreFolder
    private var manifest: StoreManifest { folder.manifest }
    private let state: Mutex<State>
    private let publishing = DispatchQueue(label: "earshot.store.publish")
    private let merging = DispatchQueue(label: "earshot.store.merge")
    private let log: Logger
    /// Receives what is searched after each change, in order.
    private let publish: @Sendable ([StoredSegment]) -> Void

    /// Opens the store in a folder, which it makes if there is none; upgrades what an earlier version wrote.
    ///
    /// - Parameter setsAsideDamaged: Whether damaged parts are set aside. Otherwise they are an error.
    init(
        folder path: String, setsAsideDamaged: Bool = false, log: Logger,
        publish: @escaping @Sendable ([StoredSegment]) -> Void
    ) throws {
        self.log = log
        self.publish = publish
        folder = try StoreFolder(path, makes: true)
        try folder.repair(isThorough: false, setsAside: setsAsideDamaged) { log.notice("\($0)") }
        setAside = try folder.setAside()
        for part in setAside {
            let lost = part.lost?.joined(separator: ", ") ?? "each of its references"
            log.warning("\(path)/set-aside/\(part.file): not served: \(lost)")
        }
        try folder.manifest.forgetUnfinished()
        let files = try folder.manifest.files()
        let rows = try folder.manifest.rows()
        var segments = try files.map { [folder] number, removed in
            let contents = try IndexedCatalog(CatalogFile.open(folder.segment(number)))
            return StoredSegment(
                origin: .file(number), served: ServedSegment(contents: contents, removed: removed))
        }
        if !rows.isEmpty { segments.append(try Self.segment(of: rows)) }
        state = Mutex(State(segments: segments, open: segments.last?.isOpen == true ? rows : []))
        removeAbandoned(keeping: Set(files.map(\.number)))
        publish(segments)
        mergeIfMany()
    }

    private static func segment(of rows: [StoreManifest.Row]) throws -> StoredSegment {
        StoredSegment(
            origin: .memory(rows.map(\.version)), isOpen: rows.count < MergePlan.referencesInMemory,
            served: ServedSegment(
                contents: try IndexedCatalog(Catalog(references: rows.map(\.reference))), removed: []))
    }

    /// Removes files that the manifest does not name: their writing was cut short, or they were merged.
    private func removeAbandoned(keeping numbers: Set<Int64>) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let kept = Set(numbers.map { "segment-\($0)\(StoreFolder.fileExtension)" })
        for name in names where !kept.contains(name) {
            let isSegment =
                name.hasPrefix("segment-") && name.hasSuffix(StoreFolder.fileExtension)
                && Int64(name.dropFirst("segment-".count).dropLast(StoreFolder.fileExtension.count)) != nil
            let isUnfinished = name.hasPrefix(".segment-") && name.hasSuffix(".part")
            if isSegment || isUnfinished {
                try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
            }
        }
    }

    // MARK: - Changes

    /// Adds a reference, or replaces that of its identifier; returns whether there was one.
    ///
    /// - Throws: `CatalogFault` if it cannot be kept, or if there is one that must not be replaced.
    func put(_ reference: Reference, replacing: Bool) throws -> Bool {
        let wasThere = try state.withLock { state in
            let old = try state.owner(of: reference.id)
            guard replacing || old == nil else {
                throw CatalogFault(
                    .referenceExists, "the catalog has a reference of this identifier",
                    remedy: "Replace it, or use another identifier.")
            }
            let version = try stored { try manifest.put(reference, replacing: old?.inFile) }
            state.forget(reference.id, old)
            state.fresh.append(StoreManifest.Row(version: version, reference: reference))
            return old != nil
        }
        publishSoon()
        return wasThere
    }

    /// Removes a reference; returns whether there was one.
    ///
    /// - Throws: `CatalogFault` if the removal cannot be kept.
    func remove(_ id: String) throws -> Bool {
        let wasThere = try state.withLock { state in
            guard let old = try state.owner(of: id) else { return false }
            try stored { try manifest.remove(id, from: old.inFile) }
            state.forget(id, old)
            return true
        }
        if wasThere { publishSoon() }
        return wasThere
    }

    private func stored<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as DatabaseError where error.isOfStorage {
            log.error("\(folder.path): \(error)")
            throw CatalogFault(
                .storageFull, "the disk of the server takes no more: nothing was changed",
                remedy: "Tell who runs the server, and try again later.")
        }
    }

    // MARK: - Searching what is new

    private func publishSoon() {
        let isDue = state.withLock { state in
            defer { state.isPublishing = true }
            return !state.isPublishing
        }
        if isDue { publishing.async { [self] in publishNow() } }
    }

    private func publishNow() {
        let rows = state.withLock { state in
            state.isPublishing = false
            state.building = state.fresh
            state.fresh = []
            state.goneWhileBuilding = []
            return state.open + state.building
        }
        do {
            var new = rows.isEmpty ? nil : try Self.segment(of: rows)
            try state.withLock { state in
                for id in state.goneWhileBuilding {
                    if let place = try new?.served.place(ofID: id) { new?.served.removed.insert(place) }
                }
                state.building = []
                state.segments.removeAll(where: \.isOpen)
                let gone = state.goneWhileBuilding
                state.open = new?.isOpen == true ? rows.filter { !gone.contains($0.reference.id) } : []
                if let new { state.segments.append(new) }
                publish(state.segments)
            }
        } catch {
            log.error("new references are not searched until the server starts again: \(error)")
        }
        mergeIfMany()
    }

    // MARK: - Merging

    private func mergeIfMany() {
        let isDue = state.withLock { state in
            guard !state.isMerging, !state.due.isEmpty else { return false }
            state.isMerging = true
            return true
        }
        if isDue { merging.async { [self] in merge() } }
    }

    /// Merges what is due, until nothing is.
    ///
    /// After a failure the next change tries again.
    private func merge() {
        let isDone = mergeOnce()
        state.withLock { $0.isMerging = false }
        if isDone { mergeIfMany() }
    }

    private func mergeOnce() -> Bool {
        var unfinished: String?
        do {
            let sources = state.withLock(\.due)
            guard !sources.isEmpty else { return true }
            let number = try manifest.newFile()
            let path = folder.segment(number)
            unfinished = path
            try CatalogReplacement(path).write(
                merging: sources.map(\.served.contents.catalog),
                removed: sources.map { $0.served.removed.sorted() })
            let merged = try IndexedCatalog(CatalogFile.open(path))
            // From here on the manifest may name the file, even if it reports an error.
            unfinished = nil
            try state.withLock { state in
                try state.replace(sources, by: merged, number: number, in: manifest)
                publish(state.segments)
            }
            for case .file(let old) in sources.map(\.origin) {
                try? FileManager.default.removeItem(atPath: folder.segment(old))
            }
            // Indices are large and short-lived, and the allocator would keep what they took.
            malloc_trim(0)
            return true
        } catch {
            log.error("segments are not merged: \(error)")
            if let unfinished { try? FileManager.default.removeItem(atPath: unfinished) }
            return false
        }
    }
}

extension CatalogStore.State {
    /// The segments to merge: full ones in memory, else files of about one size if there are many.
    ///
    /// A damaged file stays as it is.
    var due: [StoredSegment] {
        let whole = segments.filter { $0.served.contents.damage == nil }
        let full = whole.filter { $0.isInMemory && !$0.isOpen }
        guard full.isEmpty else { return full }
        let files = whole.filter { !$0.isInMemory }
        return MergePlan.due(sizes: files.map(\.served.count)).map { files[$0] }
    }

    enum Owner {
        case fresh(Int)
        case building
        case segment(Int, place: Int, file: Int64?)

        var inFile: (file: Int64, place: Int)? {
            guard case .segment(_, let place, let file?) = self else { return nil }
            return (file, place)
        }
    }

    /// Where the reference of an identifier is.
    func owner(of id: String) throws -> Owner? {
        if let place = fresh.firstIndex(where: { $0.reference.id == id }) { return .fresh(place) }
        if building.contains(where: { $0.reference.id == id }), !goneWhileBuilding.contains(id) {
            return .building
        }
        for (number, segment) in segments.enumerated() {
            guard let place = try segment.served.place(ofID: id) else { continue }
            if case .file(let file) = segment.origin { return .segment(number, place: place, file: file) }
            return .segment(number, place: place, file: nil)
        }
        return nil
    }

    mutating func forget(_ id: String, _ owner: Owner?) {
        switch owner {
        case .fresh(let place): fresh.remove(at: place)
        case .building: goneWhileBuilding.insert(id)
        case .segment(let number, let place, _):
            segments[number].served.removed.insert(place)
            guard segments[number].isOpen else { break }
            open.removeAll { $0.reference.id == id }
            goneWhileBuilding.insert(id)
        case nil: break
        }
    }

    /// Replaces the sources of a merge by its file, without the references that were removed meanwhile.
    mutating func replace(
        _ sources: [StoredSegment], by merged: IndexedCatalog, number: Int64, in manifest: StoreManifest
    ) throws {
        var removed: Set<Int> = []
        var files: [Int64] = []
        var versions: [Int64] = []
        var kept: [StoredSegment] = []
        for segment in segments {
            guard let source = sources.first(where: { $0.served.contents === segment.served.contents }) else {
                kept.append(segment)
                continue
            }
            for place in segment.served.removed.subtracting(source.served.removed) {
                let id = try segment.served.contents.catalog.entry(at: place).id
                if let place = try merged.place(ofID: id) { removed.insert(place) }
            }
            switch segment.origin {
            case .file(let file): files.append(file)
            case .memory(let rows): versions += rows
            }
        }
        try manifest.replace(files: files, versions: versions, by: number, removed: removed)
        let served = ServedSegment(contents: merged, removed: removed)
        segments = kept + [StoredSegment(origin: .file(number), served: served)]
    }
}

extension DatabaseError {
    /// Whether the disk refused to take more.
    fileprivate var isOfStorage: Bool {
        [ResultCode.SQLITE_FULL, .SQLITE_IOERR].contains(resultCode.primaryResultCode)
    }
}
