import Fingerprinting

extension Catalog {
    /// The references that have some of the media items, without these items.
    ///
    /// - Parameters:
    ///   - references: the references that are removed as a whole.
    ///   - path: the catalog's name in errors.
    /// - Throws: ``CatalogEditError`` when the catalog does not have an item.
    package func references(
        without ids: Set<UUID>, leavingOut references: [String], path: String
    ) throws -> [Reference] {
        guard !ids.isEmpty else { return [] }
        var left = ids
        var changed: [Reference] = []
        for place in entries.indices {
            let entry = try entry(at: place)
            let items = entry.mediaItem.items(ofReference: entry.id)
            let kept = items.filter { !ids.contains($0.id) }
            guard kept.count < items.count else { continue }
            left.subtract(items.map(\.id))
            if references.contains(entry.id) { continue }
            changed.append(
                Reference(id: entry.id, mediaItem: MediaItem(items: kept), signature: signature(at: place)))
        }
        guard left.isEmpty else {
            let missing = left.map(\.uuidString).sorted().joined(separator: ", ")
            throw CatalogEditError(description: "\(path): has no media item \(missing)")
        }
        return changed
    }
}
