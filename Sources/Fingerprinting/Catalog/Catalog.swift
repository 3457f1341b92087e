import AudioCore
import Synchronization

/// References that queries are looked up in: made in memory, or opened with `CatalogFile`.
///
/// Never changes; any number of threads may match at once.
///
/// ```swift
/// let catalog = try Catalog(references: [Reference(id: "song", signature: signature)])
/// let matches = try catalog.match(query: audio)
/// ```
public final class Catalog: Sendable {
    /// The settings it was made with.
    public let settings: Settings
    let contents: CatalogContents
    private let idleTables = Mutex<[VoteTable]>([])

    /// Makes a catalog and its index; of each reference only what is kept stays in memory.
    ///
    /// - Throws: `FingerprintingError` when two references share an identifier or one is empty, when a
    ///   signature was made with other settings of analysis, or when they are too long for one catalog.
    public init(references: some Sequence<Reference>, settings: Settings = Settings()) throws {
        self.settings = settings
        var assembly = CatalogAssembly(settings: settings)
        for reference in references { try assembly.add(reference) }
        contents = try assembly.contents()
    }

    /// Takes what a file holds.
    init(contents: CatalogContents, settings: Settings) {
        self.contents = contents
        self.settings = settings
    }

    var timeline: Timeline { contents.timeline }
    var index: PairIndex { contents.index }
    var peakStore: PeakStore { contents.peakStore }

    /// The length of all references, in hours.
    public var hours: Double { contents.totalSeconds / 3600 }

    /// The memory that peaks and index take, in bytes.
    public var indexBytes: Int { index.byteCount + peakStore.byteCount }

    /// The memory that the index of pairs takes, in bytes.
    public var pairIndexBytes: Int { index.byteCount }

    /// How many pairs of peaks are indexed.
    package var pairCount: Int { index.postings.count }

    /// The least score of an accepted match.
    public var threshold: Double { settings.decision.threshold }

    /// How much the size of the catalog takes off the log-odds: chance matches grow in proportion to it.
    var sizeLogOdds: Double {
        let decision = settings.decision
        return Decision.logarithm(max(hours, decision.smallestHours) / decision.calibrationHours)
    }

    /// The signature of the reference at a place, as the catalog keeps it.
    ///
    /// Where the file is damaged there peaks are missing, and from then on the catalog answers with the error.
    public func signature(at place: Int) -> Signature {
        let recording = contents.table.recording(place)
        var peaks: [Peak] = []
        peakStore.peaks(of: place, into: &peaks)
        return Signature(
            peaks: peaks, frameCount: recording.frameCount, sampleRate: recording.sampleRate,
            keptRanks: settings.analysis.referenceRank, channelsCancel: recording.channelsCancel,
            analysisIdentity: settings.analysis.identity)
    }

    /// The length of a reference, in frames.
    func frames(of place: Int) -> Int {
        Int(contents.table.recording(place).durationSeconds / settings.analysis.frameSeconds)
    }

    /// Runs `body` with a table of votes that no one else uses.
    func withVoteTable<R>(_ body: (inout VoteTable) -> R) -> R {
        var table = idleTables.withLock { $0.popLast() } ?? VoteTable(cellCount: timeline.cellCount)
        let result = body(&table)
        idleTables.withLock { [table] in $0.append(table) }
        return result
    }
}
