/// The strongest spectral peaks of a recording; the audio cannot be restored from them.
public struct Signature: Sendable, Hashable {
    /// The sample rates that can be analysed, in hertz.
    package static let sampleRates = 1000...768_000
    /// Recordings have fewer sample frames than this.
    package static let mostFrames = 1 << 48
    /// The unit of a peak's time, in seconds.
    @inlinable package static var timeUnit: Double {
        FrequencyScale.frameSeconds / Double(FrequencyScale.timeSteps)
    }
    /// The unit of a peak's frequency, in hertz.
    @inlinable package static var frequencyUnit: Double {
        FrequencyScale.binHertz / Double(FrequencyScale.frequencySteps)
    }

    /// The peaks, by time, then frequency.
    public let peaks: [Peak]
    /// The number of sample frames it was made from.
    public let frameCount: Int
    /// The sample rate it was made from, in hertz.
    public let sampleRate: Int
    /// The signature has the peaks of ranks below this (see `Settings.Analysis.referenceRank`).
    public let keptRanks: Int
    /// Whether the channels nearly cancel in their mean, as one is inverted; the peaks are of another mix.
    public let channelsCancel: Bool
    /// Whether peaks have heights, which improve matching of a query.
    public let hasHeights: Bool
    /// Equal for signatures whose peaks can be compared.
    public let analysisIdentity: UInt64

    /// How much is kept.
    public enum Detail: Hashable, Sendable {
        /// Enough for a reference: peaks of ranks below `Settings.Analysis.referenceRank`, 0.35 MB an hour.
        case reference
        /// Enough for a query: 16 ranks, and the heights of peaks; 2.3 MB an hour.
        case query
    }

    /// The length of the recording in seconds.
    public var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Takes peaks in order of time, then frequency.
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

    package static func ofNothing(settings: Settings = Settings()) -> Signature {
        Signature(
            peaks: [], frameCount: 0, sampleRate: settings.analysis.sampleRate, keptRanks: Peak.ranks,
            channelsCancel: false, hasHeights: true, analysisIdentity: settings.analysis.identity)
    }

    private func with(peaks: [Peak], frameCount: Int? = nil, hasHeights: Bool? = nil) -> Signature {
        Signature(
            peaks: peaks, frameCount: frameCount ?? self.frameCount, sampleRate: sampleRate,
            keptRanks: keptRanks, channelsCancel: channelsCancel, hasHeights: hasHeights ?? self.hasHeights,
            analysisIdentity: analysisIdentity)
    }

    /// The same with a byte for each peak at a property: ranks, or heights.
    package func with(
        _ property: WritableKeyPath<Peak, UInt8>, _ bytes: some Collection<UInt8>, hasHeights: Bool
    ) -> Signature {
        var peaks = peaks
        for (place, byte) in zip(peaks.indices, bytes) { peaks[place][keyPath: property] = byte }
        return with(peaks: peaks, hasHeights: hasHeights)
    }

    /// The part that begins at `startSeconds` and lasts `durationSeconds`.
    ///
    /// Its times count from the part's start, rounded to 0.5 ms. There are no peaks beyond the signature's ends.
    public func slice(fromSeconds startSeconds: Double, durationSeconds: Double) -> Signature {
        let most = Double(UInt32.max)
        let start = min(max(0, (startSeconds / Self.timeUnit).rounded()), most)
        let end = min(max(start, ((startSeconds + durationSeconds) / Self.timeUnit).rounded()), most)
        let first = peaks.partitioningIndex { Double($0.time) >= start }
        let beyond = peaks.partitioningIndex { Double($0.time) >= end }
        let frames = min(max(0, (durationSeconds * Double(sampleRate)).rounded()), Double(1 << 47))
        return with(
            peaks: peaks[first..<max(first, beyond)].map { $0.moved(earlierBy: UInt32(start)) },
            frameCount: Int(frames))
    }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first peak that is beyond; all later ones are too.
    @inlinable package func partitioningIndex(_ isBeyond: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
