import AudioCore
import Glibc

/// References and their index, made in memory or opened with `CatalogFile`.
///
/// Immutable; any number of threads may match at once.
///
/// ```swift
/// let catalog = try Catalog(references: [Reference(id: "song", signature: signature)])
/// let matches = try catalog.match(query: audio)
/// ```
public final class Catalog: Sendable {
    /// The settings it was made with.
    public let settings: Settings
    let contents: CatalogContents
    /// The file that it was read from; nil for a catalog made in memory.
    package let source: CatalogSource?
    let voteTables: VoteTablePool
    /// The cells of all timelines.
    let cellCount: Int
    /// The size of the catalog that this is a part of, in hours.
    private let wholeHours: Double?

    /// Makes a catalog and its index.
    ///
    /// - Throws: `FingerprintingError` when two references share an identifier or one is empty. Also when a signature was
    ///   made with other settings of analysis.
    public convenience init(references: some Sequence<Reference>, settings: Settings = Settings()) throws {
        try self.init(references: references, settings: settings, limit: settings.shardLimit)
    }

    package convenience init(
        references: some Sequence<Reference>, settings: Settings, limit: ShardLimit
    ) throws {
        var assembly = CatalogAssembly(settings: settings, limit: limit)
        for reference in references { try assembly.add(reference) }
        self.init(contents: try assembly.contents(), settings: settings)
    }

    /// Makes a catalog whose references are compared with queries, but found by none.
    ///
    /// It is made much faster, because the smallest index takes the memory of all its keys.
    ///
    /// - Throws: `FingerprintingError`, as `init(references:settings:)` does.
    package convenience init(comparing references: some Sequence<Reference>) throws {
        let settings = Settings()
        var assembly = CatalogAssembly(settings: settings)
        for reference in references { try assembly.add(reference) }
        self.init(contents: try assembly.contents(index: Self.emptyIndex.get()), settings: settings)
    }

    static let emptyIndex = Result {
        try CatalogAssembly(settings: Settings()).contents().shards[0].index
    }

    init(
        contents: CatalogContents, settings: Settings, source: CatalogSource? = nil,
        voteTables: VoteTablePool? = nil, wholeHours: Double? = nil
    ) {
        self.contents = contents
        self.settings = settings
        self.source = source
        self.wholeHours = wholeHours
        let cells = contents.shards.map(\.timeline.cellCount)
        self.voteTables = voteTables ?? VoteTablePool(cellCount: cells.max() ?? 1)
        cellCount = cells.reduce(0, +)
    }

    /// The same catalog as a part of a larger one: its scores allow for the size of the whole.
    package func asPart(ofHours hours: Double) -> Catalog {
        Catalog(
            contents: contents, settings: settings, source: source, voteTables: voteTables, wholeHours: hours)
    }

    var shards: [Shard] { contents.shards }
    var peakStore: PeakStore { contents.peakStore }

    /// The length of all references, in hours.
    public var hours: Double { contents.totalSeconds / 3600 }

    /// The memory of peaks and index, in bytes.
    package var indexBytes: Int { pairIndexBytes + peakStore.byteCount }

    package var pairIndexBytes: Int { shards.reduce(0) { $0 + $1.index.byteCount } }

    package var pairCount: Int { shards.reduce(0) { $0 + $1.index.postings.count } }

    /// The least score of an accepted match.
    public var threshold: Double { settings.decision.threshold }

    /// Subtracted from the score for the size of the catalog, so that false matches are no more frequent in a larger one.
    var sizeLogOdds: Double {
        let decision = settings.decision
        let size = max(1, searchedHours / decision.calibrationHours)
        return log1p(decision.chanceShare * (size - 1)) / decision.chanceSlope
    }

    /// The length of all references, or of those of the whole that this catalog is a part of, in hours.
    var searchedHours: Double { wholeHours ?? hours }

    /// The stored signature of a reference.
    ///
    /// If the file is damaged there, peaks are missing, and from then on the catalog throws the error.
    public func signature(at place: Int) -> Signature { signature(at: place, frames: 0...Int(UInt32.max)) }

    /// The stored peaks of a part of a reference, at their times in the reference, as a signature of its whole length.
    ///
    /// If the file is damaged there, peaks are missing, and from then on the catalog throws the error.
    package func excerpt(ofReferenceAt place: Int, seconds: ClosedRange<Double>) -> Signature {
        let part = seconds.clamped(to: 0...max(0, durationSeconds(at: place)))
        func frame(_ seconds: Double) -> Int { Int(bounded: seconds / settings.analysis.frameSeconds) }
        return signature(at: place, frames: frame(part.lowerBound)...frame(part.upperBound))
    }

    private func signature(at place: Int, frames: ClosedRange<Int>) -> Signature {
        let recording = contents.table.recording(place)
        var peaks: [Peak] = []
        peakStore.peaks(of: place, frames: frames, into: &peaks)
        return Signature(
            peaks: peaks, frameCount: recording.frameCount, sampleRate: recording.sampleRate,
            keptRanks: settings.analysis.referenceRank, channelsCancel: recording.channelsCancel,
            analysisIdentity: settings.analysis.identity)
    }

    /// A reference with its peaks.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when the catalog's file is damaged.
    package func reference(at place: Int) throws -> Reference {
        let entry = try entry(at: place)
        let signature = signature(at: place)
        try requireIntact()
        return Reference(id: entry.id, mediaItem: entry.mediaItem, signature: signature)
    }

    /// The length of a reference, in seconds.
    func durationSeconds(at place: Int) -> Double { contents.table.recording(place).durationSeconds }

    func frames(of place: Int) -> Int {
        Int(bounded: durationSeconds(at: place) / settings.analysis.frameSeconds)
    }

    /// A reference of a catalog, without its peaks.
    public struct Entry: Hashable, Sendable {
        /// The identifier.
        public let id: String
        /// The metadata.
        public let mediaItem: MediaItem
        /// The number of sample frames of the recording.
        public let frameCount: Int
        /// The sample rate of the recording, in hertz.
        public let sampleRate: Int
        /// Whether the channels of the recording nearly cancel in their mean.
        public let channelsCancel: Bool

        /// The length in seconds.
        public var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }
    }

    /// The references of a catalog in order; each access reads one.
    public struct Entries: RandomAccessCollection, Sendable {
        let table: ReferenceTable

        /// 0.
        public var startIndex: Int { 0 }
        /// The number of references.
        public var endIndex: Int { table.count }

        /// The reference at an index.
        ///
        /// If the file is damaged there it is empty, and from then on the catalog throws the error.
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

    /// The references, in their original order.
    public var entries: Entries { Entries(table: contents.table) }

    /// The reference at an index.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when the catalog's file is damaged there.
    public func entry(at place: Int) throws -> Entry {
        precondition(entries.indices.contains(place), "no reference \(place) among \(entries.count)")
        return try contents.table.entry(place)
    }

    /// Passes the dictionaries of a reference's media item to `body`, one at a time, if its only property is a list of them.
    ///
    /// - Returns: False for any other item; what `body` received is then no dictionary of such a list.
    /// - Throws: `FingerprintingError.malformedFile` when the catalog's file is damaged there.
    package func readDictionaries(ofItemAt place: Int, under key: String, _ body: (MediaItem) -> Void) throws
        -> Bool
    {
        var reader = try contents.table.mediaItemReader(place)
        return try MediaItem.readDictionaries(under: key, &reader, body)
    }

    /// The number of a reference's peaks, and its bytes in a file without its share of the index.
    package func size(at place: Int) -> (peaks: Int, bytes: Int) {
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

    /// Throws if the catalog's file was found damaged or changed since it was opened: what was read of it may be wrong.
    package func requireIntact() throws { try contents.throwIfDamaged() }

    /// The index of the reference with an identifier, by a linear search.
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

package struct CatalogSource: Sendable {
    package let version: UInt32
    package let byteCount: Int
    /// Whether queries are looked up in the file's own index; otherwise one was made in memory.
    package let hasCurrentIndex: Bool

    package var isOfCurrentVersion: Bool { version == CatalogFile.currentVersion }
}

extension ReferenceTable {
    fileprivate func entry(_ place: Int) throws -> Catalog.Entry {
        let recording = recording(place)
        return Catalog.Entry(
            id: try id(place), mediaItem: try mediaItem(place), frameCount: recording.frameCount,
            sampleRate: recording.sampleRate, channelsCancel: recording.channelsCancel)
    }
}

extension Settings.Decision {
    /// How far above the threshold a score must be, so that one of `queries` is wrong by chance as rarely as one query is at
    /// the threshold.
    package func margin(queries: Double) -> Double {
        precondition(queries >= 1 && chanceSlope > 0, "\(queries) queries, slope \(chanceSlope)")
        return log(queries) / chanceSlope
    }

    /// The same for windows, so that an hour of them is wrong by chance as often as `hourlyQueries`.
    ///
    /// Two windows that find the same place need half of it each, as both must be wrong.
    package func margin(windowsPerHour: Double) -> Double {
        margin(queries: max(1, windowsPerHour / hourlyQueries))
    }
}
