import Fingerprinting

/// The settings of a library, and the events of a library or of journals in the order of their arrival.
///
/// Events may arrive in any order, any number of times, with one result.
struct LibraryContents: Sendable {
    struct Stored: Sendable {
        let addition: LibraryEvent.Addition
        let line: Data
        let arrival: Int
    }

    var settings: [String: String] = [:] { didSet { isChanged = true } }
    /// The additions that no removal names, by tag.
    private(set) var additions: [UUID: Stored] = [:] { didSet { isChanged = true } }
    /// The lines of the removals, by the tag that they name.
    private(set) var removals: [UUID: Data] = [:] { didSet { isChanged = true } }
    private(set) var hasHeader = false
    /// Whether it differs from the file.
    var isChanged = false
    private var arrivals = 0

    /// Takes an event with its line; no effect if it is known.
    mutating func take(_ event: LibraryEvent, line: Data) {
        switch event {
        case .header(let settings):
            self.settings = settings
            hasHeader = true
        case .addition(let addition):
            guard additions[addition.tag] == nil, removals[addition.tag] == nil else { return }
            arrivals += 1
            additions[addition.tag] = Stored(addition: addition, line: line, arrival: arrivals)
        case .removal(let tag):
            guard removals[tag] == nil else { return }
            removals[tag] = line
            additions[tag] = nil
        }
    }

    /// Takes an event that has no line yet.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if no line can hold it.
    mutating func take(_ event: LibraryEvent) throws {
        do { take(event, line: try event.line()) } catch {
            throw SHError.syncFailed("\(event.name) cannot be stored: its line \(error.reason)")
        }
    }

    /// Takes the events of journals; returns how many additions it received and removed.
    mutating func take(_ journals: LibraryContents) -> (received: Int, removed: Int) {
        let before = Set(additions.keys)
        for (tag, line) in journals.removals { take(.removal(tag: tag), line: line) }
        for new in journals.additions.values.sorted(by: { $0.arrival < $1.arrival }) {
            take(.addition(new.addition), line: new.line)
        }
        let after = Set(additions.keys)
        return (after.subtracting(before).count, before.subtracting(after).count)
    }

    /// The lines of the events that `journals` lack: additions by arrival, then removals.
    func lines(missingFrom journals: LibraryContents = LibraryContents()) -> [Data] {
        additions.filter { journals.additions[$0.key] == nil }.values.sorted { $0.arrival < $1.arrival }
            .map(\.line)
            + removals.filter { journals.removals[$0.key] == nil }
            .sorted { $0.key.uuidString < $1.key.uuidString }.map(\.value)
    }
}

extension LibraryContents {
    /// The items of an app, latest first.
    func items(of app: String) throws -> [SHMediaItem] {
        // Items whose clocks are at the limit go by the order of their arrival.
        func order(_ stored: Stored) -> (Int64, Int, String) {
            let clock = stored.addition.clock
            let arrival = clock == LibraryEvent.clockLimit - 1 ? stored.arrival : 0
            return (clock, arrival, stored.addition.tag.uuidString)
        }
        // Two machines may have added the same item before they synchronised. The later one counts.
        var seen: Set<String> = []
        return try additions.values.filter { $0.addition.app == app }.sorted { order($0) > order($1) }
            .filter { seen.insert($0.addition.shazamID).inserted }
            .map { SHMediaItem(stored: try MediaItem(encoded: Array($0.addition.item), name: "the item")) }
    }

    /// The tags of an app's additions, by Shazam ID.
    private func tags(of app: String) -> [String: [UUID]] {
        Dictionary(
            grouping: additions.values.map(\.addition).filter { $0.app == app }, by: \.shazamID
        ).mapValues { $0.map(\.tag) }
    }

    /// The apps that have items, by name, with the number of items.
    var apps: [(name: String, count: Int)] {
        Set(additions.values.map(\.addition.app)).sorted().map { ($0, tags(of: $0).count) }
    }

    /// Adds items of an app in place of their older additions.
    mutating func add(_ items: [(shazamID: String, bytes: Data)], app: String) throws {
        var tags = tags(of: app)
        var clock = additions.values.map(\.addition.clock).max() ?? 0
        for item in items {
            for tag in tags[item.shazamID] ?? [] { try take(.removal(tag: tag)) }
            // A foreign clock may already be at the limit.
            clock = min(clock + 1, LibraryEvent.clockLimit - 1)
            let addition = LibraryEvent.Addition(
                tag: UUID(), app: app, shazamID: item.shazamID, clock: clock, item: item.bytes)
            try take(.addition(addition))
            tags[item.shazamID] = [addition.tag]
        }
    }

    /// Removes items of an app permanently: receiving their additions again does not restore them.
    mutating func remove(_ shazamIDs: Set<String>, app: String) throws {
        let tags = tags(of: app)
        for id in shazamIDs.sorted() {
            guard let added = tags[id] else {
                throw SHError.syncFailed(
                    "\(app) has added no item with the Shazam ID \(id); nothing was removed")
            }
            for tag in added { try take(.removal(tag: tag)) }
        }
    }
}
