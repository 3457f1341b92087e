import Fingerprinting

/// The engine keeps one media item per reference. It encodes any number of `SHMediaItem`s.
///
/// One item is stored as it is. Otherwise the single property `items` is a list of dictionaries. The property
/// `mediaItemID` of an item is its identifier. Without it, the identifier follows from the item's index.
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

    package func items(ofReference id: String) -> [SHMediaItem] {
        let items = packed.map { SHMediaItem(stored: $0) }
        var taken = Set(items.filter(\.isIDStored).map(\.id))
        return items.enumerated().map { number, item in
            guard !item.isIDStored else { return item }
            var number = number
            while !taken.insert(.ofItem(number, ofReference: id)).inserted { number += items.count }
            return SHMediaItem(stored: item.stored, id: .ofItem(number, ofReference: id))
        }
    }

    /// The reference's item with more media items, all with stored identifiers.
    ///
    /// An added item keeps a stored identifier that is free in the reference. Otherwise its identifier follows from
    /// its properties, so that it is never that of a removed item with other ones.
    package func adding(_ added: [SHMediaItem], ofReference id: String) -> MediaItem {
        var items = items(ofReference: id).map(\.withStoredID)
        var taken = Set(items.map(\.id))
        for item in added {
            var itemID = item.isIDStored ? item.id : .ofAddedItem(item.stored, 0, toReference: id)
            var number = 0
            while !taken.insert(itemID).inserted {
                number += 1
                itemID = .ofAddedItem(item.stored, number, toReference: id)
            }
            items.append(SHMediaItem(stored: item.stored, id: itemID, isIDStored: true))
        }
        return MediaItem(items: items)
    }

    /// The reference's item without some of its media items, all with stored identifiers; nil if it has none of them.
    package func removing(_ ids: Set<UUID>, ofReference id: String) -> MediaItem? {
        let items = items(ofReference: id)
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
