import AudioCore
import Metrics
import Studies
import Testing

@Suite struct RaceTests {
    /// A candidate that wins each positive with probability `quality`; some trials are harder for all candidates.
    private func entry(_ number: Int, quality: Double, trials: Range<Int>, seed: UInt64) -> Race.Entry {
        Race.Entry(
            number: number,
            trials: trials.map { trial in
                let cluster = "track \(trial % 40)"
                guard trial % 4 != 3 else {
                    return (cluster, ScoredTrial(score: 0.1, isRight: false, isPositive: false))
                }
                var shared = SeededGenerator(seed: seed, "difficulty", "\(trial)")
                var own = SeededGenerator(seed: seed, "luck", "\(trial)", "\(number)")
                // Half of the luck is the trial's own, as with real queries.
                let isWon = (shared.unit() < 0.5 ? shared.unit() : own.unit()) < quality
                return (cluster, ScoredTrial(score: isWon ? 1 : 0, isRight: true, isPositive: true))
            })
    }

    @Test func theTrulyBestIsNeverEliminated() {
        for seed: UInt64 in 1...60 {
            var alive = Array(0..<27)
            let best = Int(seed) % 27
            for (rung, trials) in [60, 180, 540].enumerated() {
                let entries = alive.map { number in
                    entry(
                        number, quality: number == best ? 0.95 : 0.2 + 0.02 * Double(number),
                        trials: 0..<trials, seed: seed)
                }
                let most = rung == 2 ? 1 : (alive.count + 2) / 3
                alive = Race.survivors(of: entries, keeping: most, seed: seed).map(\.number)
                #expect(alive.contains(best), "seed \(seed), rung \(rung)")
                #expect(alive.count <= most)
            }
            #expect(alive == [best])
        }
    }

    @Test func significantlyWorseCandidatesAreDroppedEvenBelowTheLimit() {
        let entries = [0.95, 0.94, 0.3, 0.25].enumerated().map {
            entry($0.offset, quality: $0.element, trials: 0..<400, seed: 5)
        }
        #expect(Set(Race.survivors(of: entries, keeping: 4, seed: 1).map(\.number)) == [0, 1])
        #expect(Race.survivors(of: entries, keeping: 1, seed: 1).count == 1)
    }

    /// Answers of 40 recordings: four right ones at 0.25 to 1, and a negative that is high in some recordings.
    private func entry(_ number: Int, negativeIsHighIn recordings: Range<Int>) -> Race.Entry {
        Race.Entry(
            number: number,
            trials: (0..<40).flatMap { recording in
                let highest = recordings.contains(recording) ? 0.8 : 0.1
                return [0.25, 0.5, 0.75, 1, highest].enumerated().map { position, score in
                    let isPositive = position < 4
                    return (
                        "\(recording)", ScoredTrial(score: score, isRight: isPositive, isPositive: isPositive)
                    )
                }
            })
    }

    /// A test of wins at fixed thresholds drops the second in both cases.
    @Test func oneHighNegativeEliminatesNobody() {
        let first = entry(0, negativeIsHighIn: 0..<0)
        for (recordings, survivors) in [(7..<8, [0, 1]), (5..<20, [0])] {
            let second = entry(1, negativeIsHighIn: recordings)
            #expect(first.objectives?.recallAtZeroFalseAccepts == 1)
            #expect(second.objectives?.recallAtZeroFalseAccepts == 0.25)
            #expect(Race.survivors(of: [first, second], keeping: 2, seed: 1).map(\.number) == survivors)
        }
    }

    @Test func theSameResultsStayInOrder() {
        let entries = (0..<5).map { _ in entry(0, quality: 0.7, trials: 0..<100, seed: 2) }
        #expect(Race.survivors(of: entries, keeping: 3, seed: 1).count == 3)
        let numbered = [2, 0, 1].map { number in
            Race.Entry(
                number: number, trials: [("a", ScoredTrial(score: 1, isRight: true, isPositive: true))])
        }
        #expect(Race.ranking(numbered).map(\.number) == [0, 1, 2])
    }

    @Test func failedCandidatesComeLastAndNeverSurvive() {
        let entries = [
            Race.Entry(failed: 0), entry(1, quality: 0.1, trials: 0..<40, seed: 1), Race.Entry(failed: 2),
        ]
        #expect(Race.ranking(entries).map(\.number) == [1, 0, 2])
        #expect(Race.survivors(of: entries, keeping: 3, seed: 1).map(\.number) == [1])
        #expect(Race.survivors(of: [Race.Entry(failed: 0)], keeping: 1, seed: 1).isEmpty)
    }

    @Test func winsCountAboveTheHighestWrongScoreOnly() throws {
        func trial(_ score: Double, _ isRight: Bool, _ isPositive: Bool) -> (String, ScoredTrial) {
            ("t", ScoredTrial(score: score, isRight: isRight, isPositive: isPositive))
        }
        let entry = Race.Entry(
            number: 0,
            trials: [
                trial(3, true, true), trial(2, true, true), trial(2, false, false), trial(1, false, true),
            ],
            milliseconds: [1, 2, 6, 100], indexBytes: 7)
        let objectives = try #require(entry.objectives)
        #expect(entry.wins.map(\.isWon) == [true, false, false])
        #expect(objectives.recallAtZeroFalseAccepts == 1.0 / 3)
        #expect(objectives.rightTopShare == 2.0 / 3)
        #expect(objectives.highestWrongScore == 2)
        #expect(objectives.medianMilliseconds == 4)
        #expect((objectives.positives, objectives.negatives) == (3, 1))
    }
}
