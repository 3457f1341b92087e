extension Catalog {
    /// What the catalog knows of a reference besides its peaks.
    public struct Entry: Hashable, Sendable {
        /// The identifier.
        public let id: String
        /// What is known about it.
        public let mediaItem: MediaItem
        /// The number of sample frames of the recording.
        public let frameCount: Int
        /// The sample rate of the recording, in hertz.
        public let sampleRate: Int
        /// Whether the channels of the recording all but cancel in their mean.
        public let channelsCancel: Bool

        /// The length in seconds.
        public var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }
    }

    /// The references of a catalog in order; each is read when it is asked for.
    public struct Entries: RandomAccessCollection, Sendable {
        let table: ReferenceTable

        /// 0.
        public var startIndex: Int { 0 }
        /// The number of references.
        public var endIndex: Int { table.count }

        /// The reference at a place.
        ///
        /// Where the file is damaged there it is empty, and from then on the catalog answers with the error;
        /// `Catalog.entry(at:)` throws it at once.
        public subscript(place: Int) -> Entry {
            precondition(indices.contains(place), "no reference \(place) among \(count)")
            do {
                return try table.entry(place)
            } catch let error as FingerprintingError {
                table.rows.owner?.fail(error)
            } catch {}
            let unknown = ReferenceTable.Recording.unknown
            return Entry(
                id: "", mediaItem: MediaItem(), frameCount: unknown.frameCount,
                sampleRate: unknown.sampleRate, channelsCancel: unknown.channelsCancel)
        }
    }

    /// The references, in the order they were given.
    public var entries: Entries { Entries(table: contents.table) }

    /// The reference at a place.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when the catalog's file is damaged there.
    public func entry(at place: Int) throws -> Entry {
        precondition(entries.indices.contains(place), "no reference \(place) among \(entries.count)")
        return try contents.table.entry(place)
    }

    /// How many peaks a reference has, and the bytes that it takes in a file without its share of the index.
    public func size(at place: Int) -> (peaks: Int, bytes: Int) {
        precondition(entries.indices.contains(place), "no reference \(place) among \(entries.count)")
        let table = contents.table
        let ranges = [
            table.range(.id, of: place, within: table.ids.count).count,
            table.range(.item, of: place, within: table.items.count).count,
            4 * table.range(.record, of: place, within: peakStore.records.count).count,
            4 * table.range(.checkpoint, of: place, within: peakStore.checkpoints.count).count,
        ]
        return (table.peakCount(place), ranges.reduce(8 * ReferenceTable.width + 4, +))
    }

    /// The bytes of the file that the catalog was opened from; 0 for one made in memory.
    public var fileBytes: Int { contents.file?.byteCount ?? 0 }

    /// The place of the reference with an identifier; goes through the identifiers one by one.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when the catalog's file is damaged there.
    public func place(ofID id: String) throws -> Int? {
        let wanted = Array(id.utf8)
        let table = contents.table
        for place in 0..<table.count {
            let range = table.range(.id, of: place, within: table.ids.count)
            guard range.count == wanted.count, table.ids.isIntact(range) else { continue }
            if table.ids.bytes(range).elementsEqual(wanted) { return place }
        }
        try contents.throwIfDamaged()
        return nil
    }
}

extension ReferenceTable {
    /// What is known of the reference at a place.
    fileprivate func entry(_ place: Int) throws -> Catalog.Entry {
        let recording = recording(place)
        return Catalog.Entry(
            id: try id(place), mediaItem: try mediaItem(place), frameCount: recording.frameCount,
            sampleRate: recording.sampleRate, channelsCancel: recording.channelsCancel)
    }
}
