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
    /// What was heard of it lately.
    var heard = RecentEvidence()
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

    /// Where it is expected.
    var line: PassageLine {
        let frame = FrequencyScale.frameSeconds
        return PassageLine(
            frame: startSeconds / frame,
            referenceFrame: (match.offsetSeconds - match.reverberationDelaySeconds) / frame,
            timeSkew: match.timeSkew, frequencySkew: match.frequencySkew)
    }

    private func referenceSeconds(at seconds: Double) -> Double {
        match.offsetSeconds + (seconds - startSeconds) * (1 + match.timeSkew)
    }

    /// Whether a match is at the expected place; its query starts at `startSeconds` of the stream.
    func agrees(with found: Match, _ startSeconds: Double) -> Bool {
        abs(found.offsetSeconds - referenceSeconds(at: startSeconds)) <= Self.agreementSeconds
    }

    /// Whether a match is that of the same reference, place and speed.
    func goesOn(as found: Match, _ startSeconds: Double) -> Bool {
        reference == found.referenceIndex && agrees(with: found, startSeconds)
            && abs(found.timeSkew - match.timeSkew) < Self.sameSkew
            && abs(found.frequencySkew - match.frequencySkew) < Self.sameSkew
    }

    private static let sameSkew = 0.003

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

/// Whether a reference is still heard, peak after peak: the part of a passage's evidence that a stream needs.
struct RecentEvidence {
    /// The frame of the stream up to which peaks were counted.
    private(set) var countedFrame: Int?
    /// The frame at which it was most probable.
    private(set) var bestFrame = 0.0
    private var sum = 0.0
    private var most = 0.0
    /// Peaks up to the most probable frame, and since then.
    private var (heard, expected) = (0, 0)
    private var (heardSince, expectedSince) = (0, 0)

    /// How much less probable it is by now than when it was most probable, as a log-likelihood ratio.
    var doubt: Double { most - sum }

    mutating func count(_ peaks: [PassageEvidence.ExpectedPeak], through frame: Int) {
        countedFrame = frame
        for peak in peaks {
            let rate = PassageEvidence.roughRate((Double(heard) + 1) / (Double(expected) + 2))
            let (hit, miss) = PassageEvidence.weights(rate)
            expectedSince += 1
            if peak.heard != nil { heardSince += 1 }
            sum += peak.heard != nil ? hit : miss
            guard sum >= most else { continue }
            (most, bestFrame) = (sum, Double(peak.time) / Double(FrequencyScale.timeSteps))
            (heard, expected) = (heard + heardSince, expected + expectedSince)
            (heardSince, expectedSince) = (0, 0)
        }
    }

    /// Begins again where it is heard.
    mutating func renew() { sum = most }
}
