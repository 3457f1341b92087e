import Metrics
import Testing

private func positive(_ score: Double?, right: Bool = true) -> ScoredTrial {
    ScoredTrial(score: score, isRight: right, isPositive: true)
}

private func negative(_ score: Double?) -> ScoredTrial {
    ScoredTrial(score: score, isRight: false, isPositive: false)
}

@Test func thresholdIsAboveTheHighestFalseScore() {
    let point = ZeroFalseAcceptPoint([
        positive(50), positive(31), positive(20), positive(nil), negative(30), negative(12), negative(nil),
    ])
    #expect(point.highestWrongScore == 30)
    #expect(point.recall == Proportion(2, of: 4))
    #expect(point.negatives == 3)
}

@Test func aWrongReferenceRaisesTheThresholdToo() {
    let point = ZeroFalseAcceptPoint([positive(50), positive(31), positive(40, right: false), negative(30)])
    #expect(point.highestWrongScore == 40)
    #expect(point.recall == Proportion(1, of: 3))
}

@Test func aTieIsLost() {
    #expect(ZeroFalseAcceptPoint([positive(30), negative(30)]).recall == Proportion(0, of: 1))
    #expect(ZeroFalseAcceptPoint([positive(30.0.nextUp), negative(30)]).recall == Proportion(1, of: 1))
}

@Test func withoutWrongScoresNoThresholdIsNeeded() {
    let point = ZeroFalseAcceptPoint([positive(-5), positive(nil), negative(nil)])
    #expect(point.highestWrongScore == nil)
    #expect(point.recall == Proportion(1, of: 2))
}

@Test func noTrialsAreDefined() {
    let point = ZeroFalseAcceptPoint([])
    #expect(point.highestWrongScore == nil)
    #expect(point.recall == Proportion(0, of: 0))
    #expect(point.negatives == 0)
}

@Test func moreNegativesNeverRaiseTheRecall() {
    var trials = (0..<200).map { positive(Double(($0 * 37) % 101)) }
    var previous = ZeroFalseAcceptPoint(trials).recall.successes
    for index in 0..<50 {
        trials.append(negative(Double((index * 53) % 60)))
        let found = ZeroFalseAcceptPoint(trials).recall.successes
        #expect(found <= previous)
        previous = found
    }
}

@Test func scoresThatAreNotNumbersCountAsNone() {
    let point = ZeroFalseAcceptPoint([positive(.nan), negative(.nan), positive(1)])
    #expect(point.highestWrongScore == nil)
    #expect(point.recall == Proportion(1, of: 2))
}

@Test func theFirstCandidateAtTheThresholdIsClaimed() {
    // Ranked right 40, wrong 45, wrong 30. Thresholds up to 40 claim the right one, and up to 45 the wrong one.
    let trial = ScoredTrial(
        isPositive: true,
        candidates: [(score: 40, isRight: true), (score: 45, isRight: false), (score: 30, isRight: false)])
    #expect(trial.rightScore == 40)
    #expect(trial.wrongScore == 45)
    // A wrong candidate below the right one is never claimed.
    let usual = ScoredTrial(
        isPositive: true, candidates: [(score: 40, isRight: true), (score: 35, isRight: false)])
    #expect(usual.rightScore == 40)
    #expect(usual.wrongScore == nil)
}

/// The reference tries every relevant threshold and takes the lowest one without a wrong claim.
@Test func agreesWithTryingEveryThreshold() {
    for round in 0..<50 {
        let trials = (0..<40).map { index in
            let draw = (index * 7919 + round * 104_729) % 1009
            let candidates = (0..<(draw % 4)).map { rank in
                (score: Double((draw * (rank + 3)) % 61), isRight: (draw + rank) % 3 != 0 && index % 3 != 0)
            }
            return (isPositive: index % 3 != 0, candidates: candidates)
        }
        let point = ZeroFalseAcceptPoint(
            trials.map { ScoredTrial(isPositive: $0.isPositive, candidates: $0.candidates) })
        // Claims change only just above each whole score.
        var best = 0
        for threshold in (0...61).reversed().map({ Double($0) - 0.5 }) {
            let claims = trials.map { trial in trial.candidates.first { $0.score >= threshold }?.isRight }
            let outcomes = zip(trials, claims).map { Outcome(isPositive: $0.isPositive, claim: $1) }
            let counts = OutcomeCounts(outcomes)
            guard counts.falseAccept == 0 && counts.wrongReference == 0 else { break }
            best = counts.correct
        }
        #expect(point.recall.successes == best, "round \(round)")
    }
}
