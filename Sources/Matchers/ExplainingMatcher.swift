/// A matcher that can show what its answers rest on.
///
/// Nothing is judged by it: reports draw it. It is asked after a run, about queries that were answered, and only then
/// learns where the truth was.
public protocol ExplainingMatcher: Matcher {
    /// Explains what ``Matcher/identify(_:)`` answers to a query.
    ///
    /// - Parameter places: Where in references the query shall be laid, for ``MatchExplanation/alignments``.
    func explain(_ query: Query, laidOn places: [ReferencePlace]) throws -> MatchExplanation
}

/// Where in a reference a query is said to lie.
public struct ReferencePlace: Codable, Hashable, Sendable {
    /// The reference.
    public var referenceID: String
    /// Reference time in seconds heard at the query's first sample; can be negative.
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

    /// The place of a candidate; skews that it does not state count as none.
    public init(_ candidate: Candidate) {
        self.init(
            referenceID: candidate.referenceID, offsetSeconds: candidate.offsetSeconds,
            frequencySkew: candidate.frequencySkew ?? 0, timeSkew: candidate.timeSkew ?? 0)
    }
}

/// What the answers to one query rest on, as plain values.
public struct MatchExplanation: Codable, Hashable, Sendable {
    /// What was kept of the query, by time.
    public var queryPeaks: [SpectralPoint]
    /// The candidates of ``Matcher/identify(_:)`` in their order, with the reasons for their scores.
    public var candidates: [ExplainedCandidate]
    /// The query laid on each place that was asked for, in that order.
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
    /// The time in seconds from the first sample of what it is a point of.
    public var seconds: Double
    /// The frequency in hertz.
    public var hertz: Double

    /// Makes a point.
    public init(seconds: Double, hertz: Double) {
        self.seconds = seconds
        self.hertz = hertz
    }
}

/// A candidate with what its score is made of.
public struct ExplainedCandidate: Codable, Hashable, Sendable {
    /// The candidate.
    public var candidate: Candidate
    /// What the score is the sum of; empty where the matcher does not say.
    public var parts: [ScorePart]
    /// How many peaks of the query were found in the reference; nil where the matcher does not say.
    public var matchedPeaks: Int?
    /// How many could have been found.
    public var comparedPeaks: Int?

    /// One part of a score.
    public struct ScorePart: Codable, Hashable, Sendable {
        /// What it is, in a few words.
        public var name: String
        /// What it adds to the score.
        public var amount: Double

        /// Makes a part.
        public init(name: String, amount: Double) {
            self.name = name
            self.amount = amount
        }
    }

    /// Makes one.
    public init(_ candidate: Candidate, parts: [ScorePart], matchedPeaks: Int?, comparedPeaks: Int?) {
        self.candidate = candidate
        self.parts = parts
        self.matchedPeaks = matchedPeaks
        self.comparedPeaks = comparedPeaks
    }
}
