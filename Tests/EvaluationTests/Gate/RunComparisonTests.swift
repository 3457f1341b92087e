import Evaluation
import Testing

@Suite struct RunComparisonTests {
    private func compare(_ first: GateSample, _ second: GateSample) throws -> RunComparison {
        try RunComparison(
            first: (first.records, first.facts, "first"), second: (second.records, second.facts, "second"))
    }

    @Test func aRunComparedWithItselfShowsNoDifference() throws {
        let run = GateSample(positives: [("a", "ccmw")], negatives: "rf")
        let comparison = try compare(run, run)
        #expect(comparison.mostDifferent.isEmpty)
        #expect(comparison.onlyFirst.isEmpty && comparison.onlySecond.isEmpty)
        #expect(comparison.compared.overall.probability == 1)
    }

    @Test func namesWhatEachAloneGotRight() throws {
        let first = GateSample(positives: [("a", "ccm"), ("b", "cw")], negatives: "rf")
        let second = GateSample(positives: [("a", "mcc"), ("b", "cw")], negatives: "rr")
        let comparison = try compare(first, second)
        #expect(comparison.onlyFirst == ["a/p0"])
        #expect(comparison.onlySecond == ["a/p2"])
        #expect(comparison.compared.overall.positives.both == 2)
        #expect(comparison.compared.overall.negatives.onlyAfter == 1)
        #expect(comparison.mostDifferent.map(\.trialID).sorted() == ["a/p0", "a/p2", "n1"])
        #expect(
            comparison.compared.cells.map(\.words) == ["noise a, 5 s", "noise b, 5 s", "negative none, 5 s"])
    }

    @Test func anErrorOnANegativeIsNoGainAndNoLoss() throws {
        let answered = GateSample(positives: [("a", "cc")], negatives: "rffr")
        let failing = GateSample(positives: [("a", "cc")], negatives: "rxxr")
        let comparison = try compare(answered, failing)
        #expect(!comparison.compared.overall.negatives.isChanged)
        #expect(comparison.compared.overall.negatives.both == 2)
        let trials = try failing.scored().trials
        let falseAccepts = try #require(ScoreFigure.named("falseAcceptRate")?.measure)
        let errors = try #require(TrialMeasure.all.first { $0.name == "errorRate" })
        #expect(trials.count { falseAccepts.counts($0.result) } == 2)
        #expect(trials.count { errors.holds($0.result) } == 2)
        #expect(String(trials.map(\.result.character)) == "CCrxxr")
    }

    @Test func swappingTheRunsSwapsTheSides() throws {
        let first = GateSample(positives: [("a", "cccccccm")])
        let second = GateSample(positives: [("a", "cmmmmmmc")])
        let (one, other) = (try compare(first, second), try compare(second, first))
        #expect(
            one.compared.overall.difference.difference
                == other.compared.overall.difference.difference.map { -$0 })
        #expect(one.compared.overall.rawProbability == other.compared.overall.rawProbability)
        #expect(one.onlyFirst == other.onlySecond)
    }
}
