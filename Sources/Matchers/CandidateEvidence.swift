/// What a matcher measured of one place that it examined, before it weighed it.
public struct CandidateEvidence: Hashable, Sendable {
    /// The place with its score.
    public var candidate: Candidate
    /// Which of several measurements of the place this is, such as that of a set of bands; empty if there is one.
    public var variant: String
    /// Whether the score of the place is that of this measurement.
    public var isChosen: Bool
    /// The measured values, in the order of ``MatcherPowers/Examination/values``; nil where one could not be measured.
    public var values: [Double?]

    /// Makes a row of evidence.
    public init(_ candidate: Candidate, variant: String = "", isChosen: Bool = true, values: [Double?]) {
        self.candidate = candidate
        self.variant = variant
        self.isChosen = isChosen
        self.values = values
    }
}
