/// The alignment of a query with a place of a reference: peaks, agreeing pairs and votes for offsets.
public struct PeakAlignment: Codable, Hashable, Sendable {
    /// The place.
    public var place: ReferencePlace
    /// The reference's peaks near the place, in reference time.
    public var referencePeaks: [SpectralPoint]
    /// The agreeing peaks.
    public var pairs: [Pair]
    /// The numbers of pairs that vote for offsets near that of the place.
    public var votes: OffsetVotes

    /// Two peaks that agree.
    public struct Pair: Codable, Hashable, Sendable {
        /// The index in ``MatchExplanation/queryPeaks``.
        public var query: Int
        /// The index in ``PeakAlignment/referencePeaks``.
        public var reference: Int

        /// Makes a pair.
        public init(query: Int, reference: Int) {
            self.query = query
            self.reference = reference
        }
    }

    /// A histogram of pairs by their offset.
    public struct OffsetVotes: Codable, Hashable, Sendable {
        /// The middle of the first bin, in seconds after the offset of the place.
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
