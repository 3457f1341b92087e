import Evaluation
import Matchers
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

    @Test func lossesHaveReasonsFromRecords() throws {
        let first = GateSample(positives: [("a", "ccccc"), ("b", "mw")])
        let second = GateSample(positives: [("a", "mwxcc"), ("b", "cc")])
        let losses = try compare(first, second).losses
        #expect(losses.reduce(0) { $0 + $1.lost } == 3 && losses.reduce(0) { $0 + $1.won } == 2)
        #expect(losses.contains { $0.loss.cause == .error && $0.lost == 1 && $0.won == 0 })
        #expect(losses.allSatisfy { $0.loss.part == nil })
        let swapped = try compare(second, first).losses
        for loss in losses {
            #expect(swapped.contains { $0.loss == loss.loss && $0.lost == loss.won && $0.won == loss.lost })
        }
    }

    /// Candidates with parts `a` and `b`, best first.
    private func explanation(_ candidates: [(id: String, a: Double, b: Double)]) -> MatchExplanation {
        MatchExplanation(
            queryPeaks: [],
            candidates: candidates.map { candidate in
                ExplainedCandidate(
                    Candidate(
                        referenceID: candidate.id, offsetSeconds: 0, score: candidate.a + candidate.b,
                        isAccepted: false),
                    parts: [.init(name: "a", amount: candidate.a), .init(name: "b", amount: candidate.b)],
                    matchedPeaks: nil, comparedPeaks: nil)
            }, alignments: [], threshold: nil)
    }

    @Test func aRightReferenceLacksInThePartWhereTheWinnerHasMore() {
        let own = explanation([("wrong", 5, 1), ("right", 4, -3)])
        #expect(own.lackingPart(of: ["right"]) == "b")
        #expect(own.lackingPart(of: ["wrong"]) == nil)
        #expect(own.lackingPart(of: ["another"]) == nil)
        // Where it ranks first, the other run shows what it lacks.
        let found = explanation([("right", 6, -3)])
        #expect(explanation([("right", 4, -4)]).lackingPart(of: ["right"], found: found) == "a")
        #expect(explanation([("right", 7, 0)]).lackingPart(of: ["right"], found: found) == nil)
    }

    @Test func lossesAreGroupedByTheLackingPart() throws {
        let first = GateSample(positives: [("a", "ccc")])
        let second = GateSample(positives: [("a", "mmm")])
        var explanations: [String: MatchExplanation] = [:]
        for (record, a) in zip(second.records, [1.0, 1, 9]) {
            explanations[record.trial.id] = explanation([
                ("wrong", 10, 10), (record.truthReferences[0], a, 5),
            ])
        }
        let losses = try RunComparison(
            first: (first.records, first.facts, "first"), second: (second.records, second.facts, "second"),
            explanations: ([:], explanations)
        ).losses
        #expect(losses.map(\.loss.part) == ["a", "b"] && losses.map(\.lost) == [2, 1])
    }
}
