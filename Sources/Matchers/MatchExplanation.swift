/// A place of a query in a reference.
public struct ReferencePlace: Codable, Hashable, Sendable {
    /// The reference.
    public var referenceID: String
    /// Reference time in seconds at the query's first sample; can be negative.
    public var offsetSeconds: Double
    /// f_query / f_reference − 1.
    public var frequencySkew: Double
    /// Reference seconds per query second − 1.
    public var timeSkew: Double

    /// Names a place.
    public init(referenceID: String, offsetSeconds: Double, frequencySkew: Double, timeSkew: Double) {
        self.referenceID = referenceID
        self.offsetSeconds = offsetSeconds
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
    }

    /// Takes the place of a candidate; absent skews become 0.
    ///
    /// Nil for a candidate without a position.
    public init?(_ candidate: Candidate) {
        guard let offsetSeconds = candidate.offsetSeconds else { return nil }
        self.init(
            referenceID: candidate.referenceID, offsetSeconds: offsetSeconds,
            frequencySkew: candidate.frequencySkew ?? 0, timeSkew: candidate.timeSkew ?? 0)
    }
}

/// The reasons for the answers to one query, as plain values.
public struct MatchExplanation: Codable, Hashable, Sendable {
    /// The peaks of the query, by time; empty when the matcher does not state them.
    public var queryPeaks: [SpectralPoint]
    /// The candidates of ``Matcher/identify(_:)`` in their order, with the reasons for their scores.
    ///
    /// The last ones may be missing. Beyond them there may be candidates that it did not name.
    public var candidates: [ExplainedCandidate]
    /// The alignments with the requested places; one may be missing.
    public var alignments: [PeakAlignment]
    /// The score from which the matcher accepts; nil when it has no such score.
    public var threshold: Double?

    /// Makes an explanation.
    public init(
        queryPeaks: [SpectralPoint], candidates: [ExplainedCandidate], alignments: [PeakAlignment],
        threshold: Double?
    ) {
        self.queryPeaks = queryPeaks
        self.candidates = candidates
        self.alignments = alignments
        self.threshold = threshold
    }
}

/// A point of a spectrogram.
public struct SpectralPoint: Codable, Hashable, Sendable {
    /// The time in seconds from the first sample of the query or reference.
    public var seconds: Double
    /// The frequency in hertz; nil for a moment of a matcher without frequencies.
    public var hertz: Double?

    /// Makes a point.
    public init(seconds: Double, hertz: Double?) {
        self.seconds = seconds
        self.hertz = hertz
    }
}

/// A candidate with the parts of its score.
public struct ExplainedCandidate: Codable, Hashable, Sendable {
    /// The candidate.
    public var candidate: Candidate
    /// The summands of the score; empty when the matcher does not state them.
    public var parts: [ScorePart]
    /// The number of the query's peaks found in the reference; nil when the matcher does not state it.
    public var matchedPeaks: Int?
    /// The number of peaks that could have been found.
    public var comparedPeaks: Int?

    /// One part of a score.
    public struct ScorePart: Codable, Hashable, Sendable {
        /// The name in a few words.
        public var name: String
        /// The summand.
        public var amount: Double

        /// Makes a part.
        public init(name: String, amount: Double) {
            self.name = name
            self.amount = amount
        }
    }

    /// Makes an explained candidate.
    public init(_ candidate: Candidate, parts: [ScorePart], matchedPeaks: Int?, comparedPeaks: Int?) {
        self.candidate = candidate
        self.parts = parts
        self.matchedPeaks = matchedPeaks
        self.comparedPeaks = comparedPeaks
    }
}

/// The alignment of a query with a place of a reference: peaks, agreeing pairs and votes for offsets.
public struct PeakAlignment: Codable, Hashable, Sendable {
    /// The place.
    public var place: ReferencePlace
    /// The reference's peaks near the place, in reference time; empty when the matcher does not state them.
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
        /// The pairs in each bin; empty when the matcher does not state them.
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
