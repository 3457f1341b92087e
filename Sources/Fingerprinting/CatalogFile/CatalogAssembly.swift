/// The parts of a catalog, in memory or mapped from a file.
struct CatalogContents: Sendable {
    let table: ReferenceTable
    /// At least one, in order of their references.
    let shards: [Shard]
    let peakStore: PeakStore
    let totalSeconds: Double

    /// The file of the parts; nil when they were made in memory.
    var file: MappedFile? { table.rows.owner }

    func throwIfDamaged() throws { try file?.throwIfDamaged() }
}

/// Packs references one by one in the form of a catalog, and indexes their pairs at the end.
struct CatalogAssembly: ~Copyable {
    private let settings: Settings
    private var places: [String: Int] = [:]
    private var rows = GrowingArray<UInt64>()
    private var ids = GrowingArray<UInt8>()
    private var items = GrowingArray<UInt8>()
    private var records = GrowingArray<UInt32>()
    private var checkpoints = GrowingArray<UInt32>()
    /// The starts of the last shard's references.
    private var starts = GrowingArray<UInt32>()
    private var timelines: [Timeline] = []
    private var layout: ShardLayout
    private var totalSeconds = 0.0

    init(settings: Settings, limit: ShardLimit? = nil) {
        self.settings = settings
        layout = ShardLayout(limit ?? settings.shardLimit)
    }

    /// Adds a reference.
    ///
    /// - Throws: `FingerprintingError` when its identifier is empty or taken. Also when its signature was made with other
    ///   settings of analysis.
    mutating func add(_ reference: Reference) throws {
        try check(reference)
        var item = ByteWriter()
        try reference.mediaItem.encode(into: &item)
        let signature = reference.signature
        let ranks = settings.analysis.referenceRank
        let peaks = signature.peaks.filter { $0.rank < ranks }

        appendRow(
            frames: signature.frameCount,
            rate: UInt64(signature.sampleRate) | (signature.channelsCancel ? 1 << 32 : 0), peaks: peaks.count)
        // Up to the last peak, because the length that a header states must not claim memory.
        let length = peaks.last.map { Int($0.time) / FrequencyScale.timeSteps + 2 } ?? 0
        let end = layout.end
        let start = layout.place(span: Timeline.span(length: length), peaks: peaks.count)
        if layout.firsts.count > timelines.count + 1 { endShard(at: end) }
        starts.append(UInt32(start))
        totalSeconds += signature.durationSeconds

        ids.append(contentsOf: Array(reference.id.utf8))
        items.append(contentsOf: item.bytes)
        var number = 0
        PeakRecords.current.encode(peaks) { record, timeBefore in
            if number % PeakStore.checkpointRecords == 0 { checkpoints.append(timeBefore) }
            records.append(record)
            number += 1
        }
    }

    private mutating func appendRow(frames: Int, rate: UInt64, peaks: Int) {
        rows.append(UInt64(frames))
        rows.append(rate)
        rows.append(UInt64(peaks))
        for count in [ids.count, items.count, records.count, checkpoints.count] { rows.append(UInt64(count)) }
    }

    private mutating func endShard(at end: Int) {
        starts.append(UInt32(end))
        timelines.append(Timeline(starts: starts.takeFrozen()))
    }

    private mutating func check(_ reference: Reference) throws {
        let place = places.count
        guard !reference.id.isEmpty else {
            throw FingerprintingError(.badIdentifier, "reference \(place) has an empty identifier")
        }
        if let earlier = places.updateValue(place, forKey: reference.id) {
            throw FingerprintingError(
                .badIdentifier, "references \(earlier) and \(place) share the identifier \"\(reference.id)\"")
        }
        let signature = reference.signature
        guard signature.analysisIdentity == settings.analysis.identity else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the signature of \"\(reference.id)\" was made with other settings of analysis")
        }
        guard signature.keptRanks >= settings.analysis.referenceRank else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the signature of \"\(reference.id)\" keeps \(signature.keptRanks) ranks of peaks,"
                    + " the catalog needs \(settings.analysis.referenceRank)")
        }
    }

    /// Makes the indices of all references, unless there is one to take their place.
    ///
    /// - Throws: `FingerprintingError` when there are too many pairs of peaks for one index.
    consuming func contents(index: PairIndex? = nil) throws -> CatalogContents {
        appendRow(frames: 0, rate: 0, peaks: 0)
        endShard(at: layout.end)
        let settings = settings
        let totalSeconds = totalSeconds
        let timelines = timelines
        let ends = layout.firsts.dropFirst() + [places.count]
        let places = zip(layout.firsts, ends).map { $0..<$1 }
        let table = ReferenceTable(rows: rows.frozen(), ids: ids.frozen(), items: items.frozen())
        let store = PeakStore(table: table, records: records.frozen(), checkpoints: checkpoints.frozen())
        let shards = try zip(places, timelines).map { places, timeline in
            let index =
                try index
                ?? PairIndex(timeline: timeline, settings: settings) { reference, scratch in
                    store.peaks(of: places.lowerBound + reference, into: &scratch)
                }
            return Shard(places: places, timeline: timeline, index: index)
        }
        return CatalogContents(
            table: table, shards: shards, peakStore: store, totalSeconds: totalSeconds)
    }
}
