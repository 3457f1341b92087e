import Fingerprinting

/// The body of a request that adds or replaces a reference.
package struct ReferenceUpload: Codable, Sendable {
    struct Item: Codable, Sendable {
        let id: UUID?
        let properties: [String: TypedValue]
    }

    /// The bytes of a signature file.
    package let signature: Data
    let items: [Item]?

    package init(_ reference: Reference) {
        signature = Data(reference.signature.encoded())
        items = reference.mediaItem.items(ofRecording: []).map { item in
            let reply = ItemReply(item)
            return Item(id: item.isIDStored ? item.id : nil, properties: reply.properties)
        }
    }

    /// The media items as a catalog stores them.
    ///
    /// - Throws: ``CatalogEditError`` for too many items.
    package func mediaItem() throws(CatalogEditError) -> MediaItem {
        try MediaItem(
            items: (items ?? []).map { item in
                let properties = item.properties.sorted { $0.key < $1.key }
                    .map { MediaItem.Property($0.key, $0.value.value) }
                return SHMediaItem(
                    stored: MediaItem(properties), id: item.id, isIDStored: item.id != nil)
            })
    }
}

/// The answer to a change of a catalog.
package struct ChangeReply: Codable, Sendable {
    let reference: String
    /// Whether the catalog had a reference of the identifier.
    package let wasThere: Bool

    package init(reference: String, wasThere: Bool) {
        self.reference = reference
        self.wasThere = wasThere
    }
}
