import Fingerprinting

/// The engine keeps one media item per reference. It encodes any number of `SHMediaItem`s.
///
/// One item is stored as it is. Otherwise the single property `items` is a list of dictionaries. The property
/// `mediaItemID` of an item is its identifier. Without it, the identifier follows from the recording and the properties.
extension MediaItem {
    fileprivate static let itemsKey = "items"
    /// The most media items that a reference is given; catalogs of earlier releases have more.
    ///
    /// A query reads all items of its references, and a server sends them all.
    package static let mostItems = 10_000

    /// - Throws: ``CatalogEditError`` for too many items.
    package init(items: [SHMediaItem]) throws(CatalogEditError) {
        guard items.count <= Self.mostItems else {
            throw CatalogEditError(
                "a reference has \(items.count) media items; expected at most \(Self.mostItems)")
        }
        self.init(all: items)
    }

    private init(all items: [SHMediaItem]) {
        let stored = items.map(\.storedWithID)
        if stored.count == 1, stored[0][Self.itemsKey] == nil {
            self = stored[0]
        } else {
            self.init([Property(Self.itemsKey, .list(stored.map { .dictionary($0.properties) }))])
        }
    }

    /// The media items of a reference, by the name of its recording in a catalog.
    package func items(ofRecording name: [UInt8]) -> [SHMediaItem] {
        var chosen = ChosenItems(isWanted: { _ in true })
        packed.forEach { chosen.add($0) }
        return chosen.items(ofRecording: name)
    }

    /// The reference's item with more media items, all with stored identifiers.
    ///
    /// An added item keeps a stored identifier that is free in the reference. Otherwise its identifier follows from
    /// its properties, so that it is never that of a removed item with other ones.
    ///
    /// - Throws: ``CatalogEditError`` for too many items.
    package func adding(
        _ added: [SHMediaItem], ofRecording name: [UInt8]
    ) throws(CatalogEditError) -> MediaItem {
        var items = items(ofRecording: name).map(\.withStoredID)
        var identifiers = ItemIdentifiers(taken: items.map(\.id))
        for item in added {
            let isKept = item.isIDStored && identifiers.take(item.id)
            let itemID = isKept ? item.id : identifiers.next(of: item.stored, ofRecording: name)
            items.append(SHMediaItem(stored: item.stored, id: itemID, isIDStored: true))
        }
        return try MediaItem(items: items)
    }

    /// The reference's item without some of its media items, all with stored identifiers; nil if it has none of them.
    package func removing(_ ids: Set<UUID>, ofRecording name: [UInt8]) -> MediaItem? {
        let items = items(ofRecording: name)
        let kept = items.filter { !ids.contains($0.id) }
        return kept.count < items.count ? MediaItem(all: kept.map(\.withStoredID)) : nil
    }

    package var firstTitle: String? { packed.lazy.compactMap(\.title).first }

    fileprivate var packed: [MediaItem] {
        guard properties.count == 1, case .list(let values)? = self[Self.itemsKey] else { return [self] }
        var items: [MediaItem] = []
        for value in values {
            guard case .dictionary(let properties) = value else { return [self] }
            items.append(MediaItem(properties))
        }
        return items
    }
}

extension Catalog {
    /// The media items of the reference at an index for which `isWanted` is true.
    ///
    /// Of the others, only one at a time is in memory.
    ///
    /// - Throws: `FingerprintingError` if its file is damaged.
    package func items(at place: Int, where isWanted: (MediaItem) -> Bool = { _ in true }) throws
        -> [SHMediaItem]
    {
        try withoutActuallyEscaping(isWanted) { isWanted in
            var chosen = ChosenItems(isWanted: isWanted)
            if try !readDictionaries(ofItemAt: place, under: MediaItem.itemsKey, { chosen.add($0) }) {
                chosen = ChosenItems(isWanted: isWanted)
                try entry(at: place).mediaItem.packed.forEach { chosen.add($0) }
            }
            return chosen.items(ofRecording: recordingName(at: place))
        }
    }
}

/// Some media items of a reference, with the identifiers that they have among all.
private struct ChosenItems {
    let isWanted: (MediaItem) -> Bool
    private var items: [SHMediaItem] = []
    /// The stored identifiers of all items.
    private var taken: Set<UUID> = []

    init(isWanted: @escaping (MediaItem) -> Bool) { self.isWanted = isWanted }

    mutating func add(_ item: MediaItem) {
        if let id = item.storedID { taken.insert(id) }
        if isWanted(item) { items.append(SHMediaItem(stored: item)) }
    }

    /// Items that share properties are wanted together, so the numbers that tell their identifiers apart are those among all.
    func items(ofRecording name: [UInt8]) -> [SHMediaItem] {
        var identifiers = ItemIdentifiers(taken: taken)
        return items.map { item in
            item.isIDStored
                ? item
                : SHMediaItem(
                    stored: item.stored, id: identifiers.next(of: item.stored, ofRecording: name))
        }
    }
}
