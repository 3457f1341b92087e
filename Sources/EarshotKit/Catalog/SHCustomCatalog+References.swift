import Fingerprinting

extension SHCustomCatalog {
    /// A reference of a catalog.
    public struct Reference: Identifiable, Hashable, Sendable {
        /// The identifier, unique in the catalog.
        public let id: String
        /// The length of the audio in seconds.
        public let duration: TimeInterval
        /// The media items, in the order they were given.
        public let mediaItems: [SHMediaItem]
    }

    /// The references, in the order they were added.
    ///
    /// - Throws: `SHError` 300 when a file that was added is damaged, or the references are too long for one catalog.
    public func references() throws -> [Reference] {
        let catalog = try engine()
        return try SHError.mapping(to: .customCatalogInvalid) {
            try catalog.entries.indices.map { place in
                let entry = try catalog.entry(at: place)
                return Reference(
                    id: entry.id, duration: entry.durationSeconds,
                    mediaItems: entry.mediaItem.items(ofReference: entry.id))
            }
        }
    }

    /// The signature of a reference as the catalog keeps it, which is less than was added; nil when there is none of that
    /// identifier.
    ///
    /// - Throws: `SHError` 300 as `references()` does.
    public func signature(ofReference id: String) throws -> SHSignature? {
        let catalog = try engine()
        return try SHError.mapping(to: .customCatalogInvalid) {
            try catalog.place(ofID: id).map { SHSignature(catalog.signature(at: $0)) }
        }
    }
}
