import AudioCore
import EarshotKit
import Fingerprinting

/// A catalog that finds its references by identifier and by the Shazam IDs of their media items.
///
/// It is made once for all moments at which it is served. The index holds hashes, 12 bytes each, so that it stays small for
/// a million references. A look-up reads the references that have the hash.
final class IndexedCatalog: Sendable {
    private struct Entry {
        let hash: UInt64
        let place: UInt32
    }

    let catalog: Catalog
    private let ids: [Entry]
    private let shazamIDs: [Entry]

    init(_ catalog: Catalog) throws {
        self.catalog = catalog
        var ids: [Entry] = []
        var shazamIDs: [Entry] = []
        for place in catalog.entries.indices {
            let entry = try catalog.entry(at: place)
            ids.append(Entry(hash: StableHash.of(entry.id), place: UInt32(place)))
            for item in try catalog.servedItems(at: place) {
                guard let id = item.shazamID else { continue }
                shazamIDs.append(Entry(hash: StableHash.of(id), place: UInt32(place)))
            }
        }
        self.ids = ids.sorted { ($0.hash, $0.place) < ($1.hash, $1.place) }
        self.shazamIDs = shazamIDs.sorted { ($0.hash, $0.place) < ($1.hash, $1.place) }
    }

    /// The index of a reference in the catalog.
    func place(ofID id: String) throws -> Int? {
        for place in Self.places(of: id, among: ids) where try catalog.entry(at: place).id == id {
            return place
        }
        return nil
    }

    /// The media item with a Shazam ID, and the index of its reference.
    func item(shazamID: String) throws -> (place: Int, item: SHMediaItem)? {
        for place in Self.places(of: shazamID, among: shazamIDs) {
            let items = try catalog.servedItems(at: place)
            if let item = items.first(where: { $0.shazamID == shazamID }) { return (place, item) }
        }
        return nil
    }

    /// What is wrong with the catalog's file, if it was found damaged.
    var damage: FingerprintingError? {
        do { try catalog.requireIntact() } catch { return error as? FingerprintingError }
        return nil
    }

    private static func places(of text: String, among entries: [Entry]) -> [Int] {
        let hash = StableHash.of(text)
        let first = entries.partitioningIndex { $0.hash >= hash }
        return entries[first...].prefix { $0.hash == hash }.map { Int($0.place) }
    }
}

extension Catalog {
    /// The media items of a reference as the server answers them: those without a Shazam ID get a number for one.
    func servedItems(at place: Int) throws -> [SHMediaItem] {
        try items(at: place).map { item in
            guard item.shazamID == nil else { return item }
            let number = withUnsafeBytes(of: item.id.uuid) { bytes in
                bytes.prefix(6).reduce(0) { $0 << 8 | UInt64($1) }
            }
            let shazamID = MediaItem.Property(SHMediaItemProperty.shazamID.rawValue, .string("\(number)"))
            return SHMediaItem(stored: MediaItem(item.stored.properties + [shazamID]), id: item.id)
        }
    }
}
