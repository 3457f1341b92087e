/// What is kept of a recording: its strongest spectral peaks.
///
/// The audio cannot be restored from it.
public struct Signature: Sendable, Hashable {
    /// The peaks, by time, then frequency.
    public let peaks: [Peak]
    /// The number of sample frames it was made from.
    public let frameCount: Int
    /// The sample rate it was made from, in hertz.
    public let sampleRate: Int
    /// Ranks below this were kept (see `Settings.Analysis.referenceRank`).
    public let keptRanks: Int
    /// Whether the channels all but cancel in their mean (one is inverted): little of them is kept here.
    public let channelsCancel: Bool
    /// Whether peaks have heights, which a query is judged by.
    public let hasHeights: Bool
    /// Tells analyses apart whose peaks cannot be compared.
    public let analysisIdentity: UInt64

    /// How much is kept.
    public enum Detail: Hashable, Sendable {
        /// What a reference needs: peaks of ranks below `Settings.Analysis.referenceRank`, 0.35 MB an hour.
        case reference
        /// What a query needs, too: 16 ranks, and the heights of peaks; 1.9 MB an hour.
        case query
    }

    /// The length of the recording in seconds.
    public var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Takes peaks that are in order of time, then frequency.
    package init(
        peaks: [Peak], frameCount: Int, sampleRate: Int, keptRanks: Int, channelsCancel: Bool,
        hasHeights: Bool = false, analysisIdentity: UInt64
    ) {
        self.peaks = peaks
        self.frameCount = frameCount
        self.sampleRate = sampleRate
        self.keptRanks = keptRanks
        self.channelsCancel = channelsCancel
        self.hasHeights = hasHeights
        self.analysisIdentity = analysisIdentity
    }

    /// The signature of no audio at all, as a query.
    package static func ofNothing(settings: Settings = Settings()) -> Signature {
        Signature(
            peaks: [], frameCount: 0, sampleRate: settings.analysis.sampleRate, keptRanks: Query.keptRanks,
            channelsCancel: false, hasHeights: true, analysisIdentity: settings.analysis.identity)
    }
}
