/// A matcher that can show the reasons for its answers.
///
/// Reports draw them; no figure depends on them. The judge asks after a run, and only then gives the true place.
public protocol ExplainingMatcher: Matcher {
    /// Explains the answers of ``Matcher/identify(_:)`` to a query.
    ///
    /// - Parameter places: The places to align with the query, for ``MatchExplanation/alignments``.
    func explain(_ query: Query, laidOn places: [ReferencePlace]) throws -> MatchExplanation
}

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
    public init(_ candidate: Candidate) {
        self.init(
            referenceID: candidate.referenceID, offsetSeconds: candidate.offsetSeconds,
            frequencySkew: candidate.frequencySkew ?? 0, timeSkew: candidate.timeSkew ?? 0)
    }
}

/// The reasons for the answers to one query, as plain values.
public struct MatchExplanation: Codable, Hashable, Sendable {
    /// The peaks of the query, by time.
    public var queryPeaks: [SpectralPoint]
    /// The candidates of ``Matcher/identify(_:)`` in their order, with the reasons for their scores.
    public var candidates: [ExplainedCandidate]
    /// The alignments with the requested places, in that order.
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
    /// The frequency in hertz.
    public var hertz: Double

    /// Makes a point.
    public init(seconds: Double, hertz: Double) {
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
