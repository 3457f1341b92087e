import AudioCore
import Metrics
import Studies
import Testing

/// What makes one candidate better than another, and where its threshold lies.
@Suite struct TuningGoalsTests {
    /// Positives that are right at 1, and negatives of 400 recordings, the first of which reach 2.
    private func entry(
        _ number: Int, recall: Double = 1, high: Int = 0, milliseconds: Double = 1, megabytes: Int = 1,
        goals: TuningGoals
    ) -> Race.Entry {
        let positives = (0..<200).map { trial in
            (
                "\(trial % 40)",
                ScoredTrial(score: Double(trial) < 200 * recall ? 1 : 0.2, isRight: true, isPositive: true)
            )
        }
        let negatives = (0..<400).map { trial in
            ("\(trial)", ScoredTrial(score: trial < high ? 2 : 0.5, isRight: false, isPositive: false))
        }
        return Race.Entry(
            number: number, trials: positives + negatives, milliseconds: [milliseconds],
            indexBytes: megabytes * 1_000_000, referenceSeconds: 3600, goals: goals)
    }

    @Test func aLimitOfFalseAcceptsSetsTheThreshold() throws {
        let goals = try TuningGoals(limits: [.init(.falseAccepts, atMost: 0.05)])
        let some = try #require(entry(0, high: 4, goals: goals).objectives)
        #expect(some.recall == 1 && some.falseAccepts.successes == 4)
        #expect(try #require(some.falseAcceptBound) <= 0.05)
        #expect(some.recallAtZeroFalseAccepts == 0)
        // So many that their bound is beyond the limit, although their share is not.
        let many = try #require(entry(0, high: 16, goals: goals).objectives)
        #expect(many.recall == 0 && many.falseAccepts.successes == 0)
        // What no number of these negatives can show still has a threshold that accepts none.
        let strict = try TuningGoals(limits: [.init(.falseAccepts, atMost: 0.0001)])
        let best = try #require(entry(0, goals: strict).objectives)
        #expect(best.recall == 1 && best.falseAccepts.successes == 0)
        #expect(try #require(best.falseAcceptBound) > 0.0001)
    }

    /// The threshold of one half of the recordings keeps the limit on the other half in 95 % of splits.
    @Test func theBoundHoldsOnOtherRecordings() throws {
        let goals = try TuningGoals(limits: [.init(.falseAccepts, atMost: 0.1)])
        var exceeded = 0
        for seed in UInt64(0)..<400 {
            var generator = SeededGenerator(seed: seed, "negatives")
            func half(_ name: String) -> [(cluster: String, scores: ScoredTrial)] {
                (0..<60).flatMap { recording in
                    // Negatives of one recording are alike.
                    let level = generator.unit()
                    return (0..<8).map { _ in
                        let score = 0.7 * level + 0.3 * generator.unit()
                        return (
                            "\(name)\(recording)",
                            ScoredTrial(score: score, isRight: false, isPositive: false)
                        )
                    }
                }
            }
            let chosen = Race.Entry(number: 0, trials: half("a"), goals: goals)
            let above = chosen.objectives?.above
            let rate = CarriedThreshold(half("b").map(\.scores), above: above).falseAccepts.rate ?? 0
            if rate > 0.1 { exceeded += 1 }
        }
        #expect(exceeded <= 24, "\(exceeded) of 400")
        #expect(exceeded > 0, "a bound that is never exceeded is too strict")
    }

    @Test func limitsComeBeforeGoals() throws {
        let goals = try TuningGoals(
            limits: [.init(.milliseconds, atMost: 10), .init(.megabytesPerHour, atMost: 4)])
        let entries = [
            entry(0, recall: 1, milliseconds: 20, goals: goals), entry(1, recall: 0.5, goals: goals),
            entry(2, recall: 1, megabytes: 5, goals: goals),
            entry(3, recall: 0.6, milliseconds: 10, goals: goals),
        ]
        #expect(Race.ranking(entries, by: goals).map(\.number) == [3, 1, 2, 0])
        let within = try #require(entries[3].objectives), beyond = try #require(entries[0].objectives)
        #expect(goals.excess(of: within) == 0 && goals.excess(of: beyond) == 1)
        #expect(goals.dominates(within, beyond) && !goals.dominates(beyond, within))
    }

    @Test func severalGoalsKeepTheirFront() throws {
        let goals = try TuningGoals(wanted: [.recall, .milliseconds], limits: [])
        let entries = [
            entry(0, recall: 0.9, milliseconds: 9, goals: goals),
            entry(1, recall: 0.5, milliseconds: 1, goals: goals),
            entry(2, recall: 0.8, milliseconds: 10, goals: goals),
            entry(3, recall: 0.7, milliseconds: 3, goals: goals),
        ]
        // 2 is worse than 0 in both, so it comes last, behind candidates with less recall.
        #expect(Race.ranking(entries, by: goals).map(\.number) == [0, 3, 1, 2])
        #expect(Race.survivors(of: entries, by: goals, keeping: 3, seed: 1).map(\.number) == [0, 3, 1])
    }
}
