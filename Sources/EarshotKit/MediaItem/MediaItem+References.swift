import Fingerprinting

/// The engine keeps one media item per reference. It encodes any number of `SHMediaItem`s.
///
/// One item is stored as it is. Otherwise the single property `items` is a list of dictionaries.
extension MediaItem {
    private static let itemsKey = "items"

    package init(items: [SHMediaItem]) {
        if items.count == 1, items[0].stored[Self.itemsKey] == nil {
            self = items[0].stored
        } else {
            self.init([Property(Self.itemsKey, .list(items.map { .dictionary($0.stored.properties) }))])
        }
    }

    package func items(ofReference id: String) -> [SHMediaItem] {
        packed.enumerated().map { number, item in
            SHMediaItem(stored: item, id: .ofItem(number, ofReference: id))
        }
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
