import Fingerprinting

/// How the one media item that the engine keeps for a reference stands for any number of `SHMediaItem`s.
///
/// One item is kept as it is. Any other number of them is a single property, `items`, a list of dictionaries.
extension MediaItem {
    private static let itemsKey = "items"

    /// Packs the items of a reference.
    package init(items: [SHMediaItem]) {
        if items.count == 1, items[0].stored[Self.itemsKey] == nil {
            self = items[0].stored
        } else {
            self.init([Property(Self.itemsKey, .list(items.map { .dictionary($0.stored.properties) }))])
        }
    }

    /// The items of the reference with the given identifier, in the order they were packed.
    package func items(ofReference id: String) -> [SHMediaItem] {
        packed.enumerated().map { number, item in
            SHMediaItem(stored: item, id: .ofItem(number, ofReference: id))
        }
    }

    /// The first title among the items of a reference.
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
