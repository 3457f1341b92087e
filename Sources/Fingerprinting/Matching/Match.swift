import Glibc

/// A reference that may contain a query, with the place and the skew.
public struct Match: Hashable, Sendable {
    /// The reference's identifier.
    public let referenceID: String
    /// The reference's index in the catalog.
    public internal(set) var referenceIndex: Int
    /// The reference time at the query's first sample, in seconds; negative when the query starts earlier.
    public internal(set) var offsetSeconds: Double
    /// The part of `offsetSeconds` that corrects the delay of energy in a room, in seconds.
    package let reverberationDelaySeconds: Double
    /// Other places of the same reference with nearly the same score: repeats, best first.
    public internal(set) var alternatives: [Alternative]
    /// The standard error of the offset, in seconds.
    public let offsetErrorSeconds: Double
    /// The most probable kind of skew.
    public let skewKind: SkewKind
    /// f_query / f_reference − 1, as the kind constrains it (0 for `identity` and `tempo`).
    public let frequencySkew: Double
    /// Reference seconds per query second − 1, as the kind constrains it (0 for `identity` and `pitch`).
    public let timeSkew: Double
    /// The measured frequency skew, for no particular kind.
    public let freeFrequencySkew: Double
    /// The measured time skew, for no particular kind.
    public let freeTimeSkew: Double
    /// The standard error of `freeFrequencySkew`.
    public let frequencySkewError: Double
    /// The standard error of `freeTimeSkew`.
    public let timeSkewError: Double
    /// The log-odds of `confidence`.
    public let score: Double
    /// The probability that the query is of this reference, 0…1, at one query in two that is of some reference.
    public let confidence: Double
    /// Whether the score reaches the catalog's threshold.
    ///
    /// A match with a small ``logLikelihoodDeficit`` is accepted with the first one, even below the threshold.
    public internal(set) var isAccepted: Bool
    /// The log-odds that the query has this reference's music, in this recording or another.
    ///
    /// Nil for a match that is accepted, and where that is not probable either. Another recording is, for example, one of the
    /// same notes with other sounds, or other music with the same loop.
    public internal(set) var relatedScore: Double?
    /// The probability of `relatedScore`.
    public var relatedConfidence: Double? { relatedScore.map(Self.probability) }
    /// Query peaks with a partner in the reference.
    public let matchedPeaks: Int
    /// Query peaks within the reference's length.
    public let comparedPeaks: Int
    /// The log-likelihood ratio of the matched peaks against chance.
    package let peakEvidence: Double
    /// The share of query peaks that match the reference by chance.
    package let chanceOfPeak: Float

    /// The log-likelihood ratio in favour of the best fitting reference over this one.
    ///
    /// Near 0 or below when both contain the query, as in an intro that episodes share. It grows by about 50 for each
    /// second of clean audio that only the best one contains. Nil for the best one, and for usual queries. With
    /// `match(query:most:)` the best one is the first match.
    public internal(set) var logLikelihoodDeficit: Double?
    /// Whether the best fitting reference contains a beginning or an end of the query that this one does not.
    var containsOnlyAPart = false

    /// Whether the query does not tell the reference from the best fitting one.
    var sharesThePassage: Bool {
        logLikelihoodDeficit.map { $0 < PassageComparison.largestChanceDeficit } ?? false
    }

    /// Where the reference is heard in the query, in seconds; nil where that was not looked for.
    public internal(set) var queryRange: Range<Double>?
    /// What is heard of the reference, in seconds; nil where that was not looked for.
    public internal(set) var referenceRange: Range<Double>?

    /// Where the reference is heard on one straight line after the other, if there is more than one: after a cut, a
    /// repeat or a change of speed.
    public internal(set) var segments: [Segment] = []

    /// A stretch of a query in which a reference is heard at one speed without a jump.
    public struct Segment: Hashable, Sendable {
        /// In seconds of the query.
        public let queryRange: Range<Double>
        /// In seconds of the reference.
        public let referenceRange: Range<Double>
        /// f_query / f_reference − 1.
        public let frequencySkew: Double
        /// Reference seconds per query second − 1.
        public let timeSkew: Double
    }

    /// Another place of the reference.
    public struct Alternative: Hashable, Sendable {
        /// The reference time at the query's first sample, in seconds.
        public let offsetSeconds: Double
        /// The log-odds of that place.
        public let score: Double

        package init(offsetSeconds: Double, score: Double) {
            self.offsetSeconds = offsetSeconds
            self.score = score
        }
    }

    package init(
        referenceID: String, referenceIndex: Int, offsetSeconds: Double, reverberationDelaySeconds: Double,
        alternatives: [Alternative], offsetErrorSeconds: Double, skewKind: SkewKind, frequencySkew: Double,
        timeSkew: Double, freeFrequencySkew: Double, freeTimeSkew: Double, frequencySkewError: Double,
        timeSkewError: Double, score: Double, isAccepted: Bool, matchedPeaks: Int, comparedPeaks: Int,
        peakEvidence: Double, chanceOfPeak: Float
    ) {
        self.referenceID = referenceID
        self.referenceIndex = referenceIndex
        self.offsetSeconds = offsetSeconds
        self.reverberationDelaySeconds = reverberationDelaySeconds
        self.alternatives = alternatives
        self.offsetErrorSeconds = offsetErrorSeconds
        self.skewKind = skewKind
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
        self.freeFrequencySkew = freeFrequencySkew
        self.freeTimeSkew = freeTimeSkew
        self.frequencySkewError = frequencySkewError
        self.timeSkewError = timeSkewError
        self.score = score
        confidence = Self.probability(score)
        self.isAccepted = isAccepted
        self.matchedPeaks = matchedPeaks
        self.comparedPeaks = comparedPeaks
        self.peakEvidence = peakEvidence
        self.chanceOfPeak = chanceOfPeak
    }

    private static func probability(_ logOdds: Double) -> Double { 1 / (1 + exp(-logOdds)) }

    /// The match at one of its alternatives.
    func at(_ place: Alternative) -> Match {
        var match = self
        match.offsetSeconds = place.offsetSeconds
        match.alternatives =
            [Alternative(offsetSeconds: offsetSeconds, score: score)] + alternatives.filter { $0 != place }
        return match
    }

    /// The match for a query of which this match's query was a part.
    package func ofQuery(beginningSecondsEarlier seconds: Double) -> Match {
        var match = self
        let earlier = seconds * (1 + timeSkew)
        match.offsetSeconds -= earlier
        match.alternatives = alternatives.map {
            Alternative(offsetSeconds: $0.offsetSeconds - earlier, score: $0.score)
        }
        return match
    }
}
