/// A query laid on a place of a reference: the reference's peaks there, which agree, and what else would fit.
public struct PeakAlignment: Codable, Hashable, Sendable {
    /// Where it was laid.
    public var place: ReferencePlace
    /// The reference's peaks about that place, in reference time.
    public var referencePeaks: [SpectralPoint]
    /// Which peaks agree.
    public var pairs: [Pair]
    /// How many pairs of peaks speak for offsets near that of the place.
    public var votes: OffsetVotes

    /// Two peaks that agree.
    public struct Pair: Codable, Hashable, Sendable {
        /// The place among ``MatchExplanation/queryPeaks``.
        public var query: Int
        /// The place among ``PeakAlignment/referencePeaks``.
        public var reference: Int

        /// Makes a pair.
        public init(query: Int, reference: Int) {
            self.query = query
            self.reference = reference
        }
    }

    /// Counts of pairs by the offset they speak for, in bins of one width.
    public struct OffsetVotes: Codable, Hashable, Sendable {
        /// The middle of the first bin, in seconds beyond the offset of the place.
        public var firstSeconds: Double
        /// The width of a bin, in seconds.
        public var binSeconds: Double
        /// The pairs in each bin.
        public var counts: [Int]

        /// Makes a histogram.
        public init(firstSeconds: Double, binSeconds: Double, counts: [Int]) {
            self.firstSeconds = firstSeconds
            self.binSeconds = binSeconds
            self.counts = counts
        }
    }

    /// Makes an alignment.
    public init(
        place: ReferencePlace, referencePeaks: [SpectralPoint], pairs: [Pair], votes: OffsetVotes
    ) {
        self.place = place
        self.referencePeaks = referencePeaks
        self.pairs = pairs
        self.votes = votes
    }
}
