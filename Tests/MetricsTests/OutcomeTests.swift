import Metrics
import Testing

@Test func everyTrialHasOneOutcome() {
    #expect(Outcome(isPositive: true, claim: true) == .correct)
    #expect(Outcome(isPositive: true, claim: false) == .wrongReference)
    #expect(Outcome(isPositive: true, claim: nil) == .missed)
    #expect(Outcome(isPositive: false, claim: true) == .falseAccept)
    #expect(Outcome(isPositive: false, claim: false) == .falseAccept)
    #expect(Outcome(isPositive: false, claim: nil) == .correctReject)
    #expect(Outcome(isPositive: true, claim: nil, isError: true) == .missed)
    #expect(Outcome(isPositive: false, claim: nil, isError: true) == .negativeError)
}

@Test func countsSumToTrials() {
    let outcomes = (0..<1000).map { (number: Int) in Outcome.allCases[(number * number + number / 7) % 6] }
    let counts = OutcomeCounts(outcomes)
    #expect(Outcome.allCases.reduce(0) { $0 + counts[$1] } == 1000)
    #expect(counts.trials == 1000)
    #expect(counts.positives + counts.negatives + counts.negativeError == 1000)
    for outcome in Outcome.allCases {
        #expect(counts[outcome] == outcomes.count { $0 == outcome })
    }
}

@Test func ratesByHand() throws {
    // 10 positives: 6 correct, 1 wrong, 3 missed. 5 negatives: 2 accepted.
    var counts = OutcomeCounts()
    counts.correct = 6
    counts.wrongReference = 1
    counts.missed = 3
    counts.falseAccept = 2
    counts.correctReject = 3
    #expect(counts.recall == Proportion(6, of: 10))
    #expect(counts.precision == Proportion(6, of: 9))
    #expect(counts.falseAcceptRate == Proportion(2, of: 5))
    // P = 2/3, R = 3/5: 2PR/(P+R) = (4/5)/(19/15) = 12/19.
    #expect(try agree(#require(counts.f1), 12.0 / 19, tolerance: 1e-15))
}

@Test func errorsOnNegativesAreInNoRate() {
    let answered: [Outcome] = [.correct, .missed, .falseAccept, .correctReject]
    let without = OutcomeCounts(answered)
    let with = OutcomeCounts(answered + [.negativeError, .negativeError])
    #expect(with.trials == without.trials + 2)
    #expect(with.falseAcceptRate == without.falseAcceptRate)
    #expect(with.precision == without.precision)
}

@Test func rightAnswersOnlyArePerfect() {
    let counts = OutcomeCounts([.correct, .correct, .correctReject])
    #expect(counts.recall.rate == 1)
    #expect(counts.precision.rate == 1)
    #expect(counts.falseAcceptRate.rate == 0)
    #expect(counts.f1 == 1)
}

@Test func aMatcherThatNeverAnswersHasNoPrecision() {
    let counts = OutcomeCounts([.missed, .missed, .correctReject])
    #expect(counts.recall.rate == 0)
    #expect(counts.precision.rate == nil)
    #expect(counts.f1 == 0)
}

@Test func noTrialsHaveNoRates() {
    let counts = OutcomeCounts()
    #expect(counts.recall.rate == nil)
    #expect(counts.precision.rate == nil)
    #expect(counts.falseAcceptRate.rate == nil)
    #expect(counts.f1 == nil)
}
