import Fingerprinting

/// The references of a catalog under construction.
///
/// They are engine catalogs, followed by signatures not yet in one. ``catalog()`` merges all of them by
/// copying their indexes.
struct CollectedReferences: Sendable {
    private struct Part {
        let catalog: Catalog
        var removed: Set<Int> = []
    }

    /// The part and index of a reference; `part == parts.count` means `added`.
    private struct Place {
        let part: Int
        let place: Int
    }

    private var parts: [Part] = []
    private var added: [Reference] = []
    private var places: [String: Place] = [:]

    var count: Int { places.count }

    mutating func add(_ signature: Signature, _ mediaItem: MediaItem) {
        let id = freeID(like: UUID.ofSignature(signature).uuidString.lowercased())
        append(Reference(id: id, mediaItem: mediaItem, signature: signature))
    }

    /// Adds the references of a catalog, except those already present.
    /// - Throws: `FingerprintingError` if a catalog file is damaged.
    mutating func add(_ catalog: Catalog) throws {
        try fold()
        parts.append(Part(catalog: catalog))
        let part = parts.count - 1
        var renamed: [Reference] = []
        for place in catalog.entries.indices {
            let entry = try catalog.entry(at: place)
            guard let old = places[entry.id] else {
                places[entry.id] = Place(part: part, place: place)
                continue
            }
            parts[part].removed.insert(place)
            let reference = try catalog.reference(at: place)
            if try self.reference(old) != reference { renamed.append(reference) }
        }
        for reference in renamed {
            append(
                Reference(
                    id: freeID(like: reference.id), mediaItem: reference.mediaItem,
                    signature: reference.signature))
        }
    }

    /// Removes a reference; returns false if there is none with the identifier.
    mutating func remove(_ id: String) throws -> Bool {
        guard let place = places[id] else { return false }
        try fold()
        parts[place.part].removed.insert(place.place)
        places[id] = nil
        return true
    }

    /// Changes the media items of a reference, and returns whether that changed any.
    ///
    /// A changed reference moves to the end.
    ///
    /// - Parameter change: takes the media items and the name of the recording.
    mutating func change(_ id: String, _ change: (MediaItem, [UInt8]) throws -> MediaItem?) throws -> Bool {
        try fold()
        guard let place = places[id] else { return false }
        let old = try reference(place)
        let name = parts[place.part].catalog.recordingName(at: place.place)
        guard let changed = try change(old.mediaItem, name), try remove(id) else { return false }
        append(Reference(id: id, mediaItem: changed, signature: old.signature))
        return true
    }

    /// Whether ``catalog()`` only returns what is there already.
    var isWhole: Bool { added.isEmpty && parts.count == 1 && parts[0].removed.isEmpty }

    /// All references as one catalog, in order of addition.
    /// - Throws: `FingerprintingError` if a file is damaged.
    mutating func catalog() throws -> Catalog {
        try fold()
        if isWhole { return parts[0].catalog }
        let whole =
            parts.isEmpty
            ? try Catalog(references: [])
            : try CatalogFile.merged(parts.map(\.catalog), removed: parts.map { Array($0.removed) })
        var places: [String: Place] = [:]
        for (place, entry) in whole.entries.enumerated() { places[entry.id] = Place(part: 0, place: place) }
        parts = [Part(catalog: whole)]
        self.places = places
        return whole
    }

    /// Writes all references to a file, without a merged catalog in memory.
    /// - Throws: `FingerprintingError` as ``catalog()`` does; `FileWriteError`.
    mutating func write(to file: CatalogReplacement) throws {
        try fold()
        if parts.isEmpty { return try file.write([]) }
        try file.write(merging: parts.map(\.catalog), removed: parts.map { $0.removed.sorted() })
    }

    private mutating func append(_ reference: Reference) {
        places[reference.id] = Place(part: parts.count, place: added.count)
        added.append(reference)
    }

    /// Turns `added` into a part.
    private mutating func fold() throws {
        guard !added.isEmpty else { return }
        parts.append(
            Part(
                catalog: try Catalog(
                    references: added, settings: parts.first?.catalog.settings ?? Settings())))
        added = []
    }

    private func reference(_ place: Place) throws -> Reference {
        guard place.part < parts.count else { return added[place.place] }
        return try parts[place.part].catalog.reference(at: place.place)
    }

    /// Returns `id`, or the first free one of `ID-2`, `ID-3`, ….
    private func freeID(like id: String) -> String {
        guard places[id] != nil else { return id }
        var number = 2
        while places["\(id)-\(number)"] != nil { number += 1 }
        return "\(id)-\(number)"
    }
}
