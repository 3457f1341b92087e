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
    /// Tells analyses apart whose peaks cannot be compared.
    public let analysisIdentity: UInt64

    /// The length of the recording in seconds.
    public var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Takes peaks that are in order of time, then frequency.
    package init(
        peaks: [Peak], frameCount: Int, sampleRate: Int, keptRanks: Int, channelsCancel: Bool,
        analysisIdentity: UInt64
    ) {
        self.peaks = peaks
        self.frameCount = frameCount
        self.sampleRate = sampleRate
        self.keptRanks = keptRanks
        self.channelsCancel = channelsCancel
        self.analysisIdentity = analysisIdentity
    }
}
