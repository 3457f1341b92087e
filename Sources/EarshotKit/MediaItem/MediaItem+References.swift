import Fingerprinting

/// The engine keeps one media item per reference. It encodes any number of `SHMediaItem`s.
///
/// One item is stored as it is. Otherwise the single property `items` is a list of dictionaries. The property
/// `mediaItemID` of an item is its identifier. Without it, the identifier follows from the recording and the properties.
extension MediaItem {
    private static let itemsKey = "items"

    package init(items: [SHMediaItem]) {
        let stored = items.map(\.storedWithID)
        if stored.count == 1, stored[0][Self.itemsKey] == nil {
            self = stored[0]
        } else {
            self.init([Property(Self.itemsKey, .list(stored.map { .dictionary($0.properties) }))])
        }
    }

    /// The media items of a reference, by the name of its recording in a catalog.
    package func items(ofRecording name: [UInt8]) -> [SHMediaItem] {
        let items = packed.map { SHMediaItem(stored: $0) }
        var identifiers = ItemIdentifiers(taken: items.filter(\.isIDStored).map(\.id))
        return items.map { item in
            item.isIDStored
                ? item
                : SHMediaItem(
                    stored: item.stored, id: identifiers.next(of: item.stored, ofRecording: name))
        }
    }

    /// The reference's item with more media items, all with stored identifiers.
    ///
    /// An added item keeps a stored identifier that is free in the reference. Otherwise its identifier follows from
    /// its properties, so that it is never that of a removed item with other ones.
    package func adding(_ added: [SHMediaItem], ofRecording name: [UInt8]) -> MediaItem {
        var items = items(ofRecording: name).map(\.withStoredID)
        var identifiers = ItemIdentifiers(taken: items.map(\.id))
        for item in added {
            let isKept = item.isIDStored && identifiers.take(item.id)
            let itemID = isKept ? item.id : identifiers.next(of: item.stored, ofRecording: name)
            items.append(SHMediaItem(stored: item.stored, id: itemID, isIDStored: true))
        }
        return MediaItem(items: items)
    }

    /// The reference's item without some of its media items, all with stored identifiers; nil if it has none of them.
    package func removing(_ ids: Set<UUID>, ofRecording name: [UInt8]) -> MediaItem? {
        let items = items(ofRecording: name)
        let kept = items.filter { !ids.contains($0.id) }
        return kept.count < items.count ? MediaItem(items: kept.map(\.withStoredID)) : nil
    }

    package var firstTitle: String? { packed.lazy.compactMap(\.title).first }

    private var packed: [MediaItem] {
        guard properties.count == 1, case .list(let values)? = self[Self.itemsKey] else { return [self] }
        var items: [MediaItem] = []
        for value in values {
            guard case .dictionary(let properties) = value else { return [self] }
            items.append(MediaItem(properties))
        }
        return items
    }
}
