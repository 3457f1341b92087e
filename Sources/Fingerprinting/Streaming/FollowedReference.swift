import AudioCore

/// A reported reference, and its expected place at any time of the stream.
struct FollowedReference {
    /// The largest distance of a match from the expected place, in seconds.
    private static let agreementSeconds = 0.25

    let reference: Int
    /// The time in the stream since which it has matched, in seconds.
    let sinceSeconds: Double
    private(set) var checkedSeconds: Double
    private(set) var confirmedSeconds: Double
    private(set) var match: Match
    /// The time in the stream of the first sample of `match`'s query, in seconds.
    private(set) var startSeconds: Double

    /// Follows a match of a query that starts at `startSeconds` of the stream.
    init(match: Match, startSeconds: Double, sinceSeconds: Double, at now: Double) {
        self.match = match
        self.startSeconds = startSeconds
        self.sinceSeconds = sinceSeconds
        reference = match.referenceIndex
        checkedSeconds = now
        confirmedSeconds = now
    }

    /// Records the result of a check; nil when it did not find the reference.
    mutating func check(_ found: Match?, startSeconds: Double, at now: Double) {
        checkedSeconds = now
        guard let found else { return }
        confirmedSeconds = now
        match = found
        self.startSeconds = startSeconds
    }

    private func referenceSeconds(at seconds: Double) -> Double {
        match.offsetSeconds + (seconds - startSeconds) * (1 + match.timeSkew)
    }

    /// Whether a match is at the expected place; its query starts at `startSeconds` of the stream.
    func agrees(with found: Match, _ startSeconds: Double) -> Bool {
        abs(found.offsetSeconds - referenceSeconds(at: startSeconds)) <= Self.agreementSeconds
    }

    /// The match at the expected place, if the reference has the same sound there.
    func continued(by found: Match, _ startSeconds: Double) -> Match {
        let places = [found] + found.alternatives.map(found.at)
        return places.first { agrees(with: $0, startSeconds) } ?? found
    }

    func candidate(queryFrames: Int, startSeconds: Double, frameSeconds: Double) -> Candidate {
        let middle = queryFrames / 2
        let seconds = referenceSeconds(at: startSeconds + Double(middle) * frameSeconds)
        return Candidate(
            reference: reference, referenceFrame: Int(bounded: (seconds / frameSeconds).rounded()),
            queryFrame: middle,
            octaves: Skew.octaves(fraction: match.frequencySkew), votes: 0)
    }
}
