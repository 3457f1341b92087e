/// A reference that a query may be part of, with the place and how it is skewed.
public struct Match: Hashable, Sendable {
    /// The reference's identifier.
    public let referenceID: String
    /// The reference's place in the catalog, counted from 0.
    public let referenceIndex: Int
    /// The reference time heard at the query's first sample, in seconds; negative when the query starts earlier.
    public let offsetSeconds: Double
    /// The part of `offsetSeconds` that was added because a room makes energy late, in seconds.
    public let latenessSeconds: Double
    /// Other places of the same reference that fit nearly as well: repeats, best first.
    public let alternatives: [Alternative]
    /// The standard error of the time found, in seconds.
    public let offsetErrorSeconds: Double
    /// What kind of skew the query is taken to have.
    public let skewKind: SkewKind
    /// f_query / f_reference − 1, with what the kind says about it (0 for `identity` and `tempo`).
    public let frequencySkew: Double
    /// Reference seconds per query second − 1, with what the kind says about it (0 for `identity` and `pitch`).
    public let timeSkew: Double
    /// The frequency skew as measured, without assuming any kind.
    public let freeFrequencySkew: Double
    /// The time skew as measured, without assuming any kind.
    public let freeTimeSkew: Double
    /// The standard error of `freeFrequencySkew`.
    public let frequencySkewError: Double
    /// The standard error of `freeTimeSkew`.
    public let timeSkewError: Double
    /// The log-odds of `confidence`.
    public let score: Double
    /// The probability that the query is of this reference, 0…1, where one query in two is of some reference.
    public let confidence: Double
    /// Whether the score reaches the catalog's threshold; where ``deficit`` is stated, also whether that of the first answer
    /// does, and next to nothing speaks for the first being heard and this one not.
    public internal(set) var isAccepted: Bool
    /// Query peaks found in the reference.
    public let matchedPeaks: Int
    /// Query peaks that could have been found.
    public let comparedPeaks: Int
    /// The log-likelihood ratio of the matched peaks: what copies of one recording are compared by.
    public let peakEvidence: Double

    /// How much speaks for the first answer's reference being heard and this one not, as a log-likelihood ratio.
    ///
    /// Near 0 or below where both are, as in an intro that episodes share, and about 50 a second, clean, from where
    /// they go on differently. Nil for the first answer, and where only the usual answers were asked for.
    public internal(set) var deficit: Double?

    /// Another place of the reference.
    public struct Alternative: Hashable, Sendable {
        /// The reference time heard at the query's first sample, in seconds.
        public let offsetSeconds: Double
        /// The log-odds of that place.
        public let score: Double
    }
}
