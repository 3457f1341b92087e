import AudioCore
import Synchronization

/// References that queries are looked up in.
///
/// Never changes; any number of threads may match at once.
///
/// ```swift
/// let catalog = try Catalog(references: [Reference(id: "song", signature: signature)])
/// let matches = try catalog.match(query: audio)
/// ```
public final class Catalog: Sendable {
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

    /// The references, in the order they were given.
    public let entries: [Entry]
    /// The settings it was made with.
    public let settings: Settings
    /// The peaks of all references, one reference after the other.
    let allPeaks: FrozenArray<Peak>
    /// Whose peaks are where.
    let peakRanges: [Range<Int>]
    let timeline: Timeline
    let index: PairIndex
    private let idleTables = Mutex<[VoteTable]>([])

    /// Makes a catalog and its index.
    ///
    /// - Throws: `FingerprintingError` when two references share an identifier or one is empty, or when a
    ///   signature was made with other settings of analysis.
    public init(references: [Reference], settings: Settings = Settings()) throws {
        self.settings = settings
        var places: [String: Int] = [:]
        var entries: [Entry] = []
        var peaks: [Peak] = []
        var ranges: [Range<Int>] = []
        for (place, reference) in references.enumerated() {
            let signature = reference.signature
            guard !reference.id.isEmpty else {
                throw FingerprintingError(.badIdentifier, "reference \(place) has an empty identifier")
            }
            if let earlier = places.updateValue(place, forKey: reference.id) {
                throw FingerprintingError(
                    .badIdentifier,
                    "references \(earlier) and \(place) share the identifier \"\(reference.id)\"")
            }
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
            let start = peaks.count
            peaks.append(
                contentsOf: signature.peaks.lazy.filter { Int($0.rank) < settings.analysis.referenceRank })
            ranges.append(start..<peaks.count)
            entries.append(
                Entry(
                    id: reference.id, mediaItem: reference.mediaItem, frameCount: signature.frameCount,
                    sampleRate: signature.sampleRate, channelsCancel: signature.channelsCancel))
        }
        self.entries = entries
        peakRanges = ranges
        // Up to the last peak: what a header says of the length claims no memory.
        let lengths = ranges.map {
            $0.isEmpty ? 0 : Int(peaks[$0.upperBound - 1].time) / FrequencyScale.steps + 2
        }
        timeline = Timeline(lengths: lengths)
        guard timeline.starts.last ?? 0 <= Int(Int32.max) else {
            throw FingerprintingError(
                .incompatibleSignature,
                "the references are too long for one catalog: \(Int(Self.hours(entries))) hours")
        }
        index = PairIndex(peaks: peaks, ranges: ranges, timeline: timeline, settings: settings)
        allPeaks = FrozenArray(peaks)
    }

    /// The length of all references, in hours.
    public var hours: Double { Self.hours(entries) }

    private static func hours(_ entries: [Entry]) -> Double {
        entries.reduce(0) { $0 + $1.durationSeconds } / 3600
    }

    /// The memory that peaks and index take, in bytes.
    public var indexBytes: Int { index.byteCount + allPeaks.count * MemoryLayout<Peak>.stride }

    /// The least score of an accepted match: it rises with the logarithm of the catalog's size.
    public var threshold: Double {
        let decision = settings.decision
        let size = max(hours, decision.smallestHours) / decision.calibrationHours
        return decision.threshold + decision.thresholdPerSizeLog * Decision.logarithm(size)
    }

    /// The signature of the reference at a place, as the catalog keeps it.
    public func signature(at place: Int) -> Signature {
        let entry = entries[place]
        return Signature(
            peaks: Array(peaks(of: place)), frameCount: entry.frameCount, sampleRate: entry.sampleRate,
            keptRanks: settings.analysis.referenceRank, channelsCancel: entry.channelsCancel,
            analysisIdentity: settings.analysis.identity)
    }

    /// The peaks of a reference; valid while the catalog is held.
    func peaks(of place: Int) -> UnsafeBufferPointer<Peak> {
        UnsafeBufferPointer(
            start: allPeaks.base + peakRanges[place].lowerBound, count: peakRanges[place].count)
    }

    /// Runs `body` with a table of votes that no one else uses.
    func withVoteTable<R>(_ body: (inout VoteTable) -> R) -> R {
        var table = idleTables.withLock { $0.popLast() } ?? VoteTable()
        table.prepare(cellCount: timeline.cellCount)
        let result = body(&table)
        idleTables.withLock { [table] in $0.append(table) }
        return result
    }
}
