/// A reference that was named, and where it must be at any time of the stream.
struct FollowedReference {
    /// How far apart in seconds a check may find it from where it must be.
    private static let agreementSeconds = 0.25

    let reference: Int
    /// Since when it has been heard, in seconds of the stream.
    let sinceSeconds: Double
    /// When it was checked last.
    private(set) var checkedSeconds: Double
    /// When it was found last.
    private(set) var confirmedSeconds: Double
    private var match: Match
    private var startSeconds: Double

    /// Follows a match of a query that began at `startSeconds` of the stream.
    init(match: Match, startSeconds: Double, sinceSeconds: Double, at now: Double) {
        self.match = match
        self.startSeconds = startSeconds
        self.sinceSeconds = sinceSeconds
        reference = match.referenceIndex
        checkedSeconds = now
        confirmedSeconds = now
    }

    /// Notes what a check found; nil when it did not find the reference.
    mutating func check(_ found: Match?, startSeconds: Double, at now: Double) {
        checkedSeconds = now
        guard let found else { return }
        confirmedSeconds = now
        match = found
        self.startSeconds = startSeconds
    }

    /// The reference time heard at a time of the stream, in seconds.
    private func referenceSeconds(at seconds: Double) -> Double {
        match.offsetSeconds + (seconds - startSeconds) * (1 + match.timeSkew)
    }

    /// Whether a match of a query that began at a time of the stream is where this must be.
    func agrees(with found: Match, _ startSeconds: Double) -> Bool {
        abs(found.offsetSeconds - referenceSeconds(at: startSeconds)) <= Self.agreementSeconds
    }

    /// Whether that is so of the match's place, or of another place of the reference that fits the query nearly as well.
    func agreesAnywhere(with found: Match, _ startSeconds: Double) -> Bool {
        let expected = referenceSeconds(at: startSeconds)
        return ([found.offsetSeconds] + found.alternatives.map(\.offsetSeconds)).contains {
            abs($0 - expected) <= Self.agreementSeconds
        }
    }

    /// Where in a query of so many frames it is expected.
    func candidate(queryFrames: Int, startSeconds: Double, in catalog: Catalog) -> Candidate {
        let frameSeconds = catalog.settings.analysis.frameSeconds
        let middle = queryFrames / 2
        let seconds = referenceSeconds(at: startSeconds + Double(middle) * frameSeconds)
        return Candidate(
            reference: reference, referenceFrame: Int((seconds / frameSeconds).rounded()), queryFrame: middle,
            octaves: Decision.octaves(skew: match.frequencySkew), votes: 0)
    }
}
