import AudioCore
import Metrics
import Testing

@Suite struct FittedRecallDifferenceTests {
    /// Positives of 22 recordings and negatives of 15, with shared luck within each, as in a run of music.
    private func run(seed: UInt64, negatives: (String, Int, Double) -> Double = { $2 }) -> [(
        cluster: String, scores: ScoredTrial
    )] {
        var generator = SeededGenerator(seed: seed, "run")
        let positives = (0..<22).flatMap { recording in
            let level = generator.uniform(in: 0...8)
            return (0..<20).map { _ in
                (
                    "positive \(recording)",
                    ScoredTrial(
                        score: level + generator.uniform(in: 0...8), isRight: true, isPositive: true)
                )
            }
        }
        let others = (0..<15).flatMap { recording in
            (0..<10).map { number in
                let score = negatives("\(recording)", number, generator.uniform(in: -6...0.1))
                return (
                    "negative \(recording)", ScoredTrial(score: score, isRight: false, isPositive: false)
                )
            }
        }
        return (positives + others).map { (cluster: $0.0, scores: $0.1) }
    }

    private func difference(
        _ before: [(cluster: String, scores: ScoredTrial)], _ after: [(cluster: String, scores: ScoredTrial)]
    ) -> FittedRecallDifference {
        FittedRecallDifference(
            zip(before, after).map { .init(cluster: $0.cluster, before: $0.scores, after: $1.scores) },
            resamples: 499, seed: 7)
    }

    /// The tests that take trials for independent call this significant at one in a thousand.
    @Test(arguments: [3.0, 5, 9]) func oneRisingNegativeIsNoSignificantLoss(_ score: Double) throws {
        let before = run(seed: 1)
        let after = run(seed: 1) { recording, number, own in recording == "3" && number == 0 ? score : own }
        let thresholds = [before, after].map { ZeroFalseAcceptPoint($0.map(\.scores)).highestWrongScore }
        let pairs = zip(before, after).filter { $0.0.scores.isPositive }
            .map { ($0.scores.isRight(above: thresholds[0]), $1.scores.isRight(above: thresholds[1])) }
        #expect(PairedComparison(pairs).exactProbability < 0.001)
        let change = difference(before, after)
        #expect(change.lost == pairs.count { $0 && !$1 } && change.lost > 20 && change.gained == 0)
        #expect(change.probability > 0.5)
        let interval = try #require(change.interval)
        let value = try #require(change.difference)
        #expect(interval.upper >= 0 && interval.contains(value))
    }

    /// Ten negatives in a hundred may be accepted, so the scores of ten decide nothing.
    @Test func atAShareOfFalseAcceptsThatManyNegativesDoNotCount() throws {
        let before = run(seed: 1)
        func change(_ count: Int) -> FittedRecallDifference {
            let after = run(seed: 1) { recording, number, own in
                number == 0 && Int(recording)! < count ? 9 : own
            }
            return FittedRecallDifference(
                zip(before, after).map { .init(cluster: $0.cluster, before: $0.scores, after: $1.scores) },
                falseAcceptRate: 0.05, resamples: 499, seed: 7)
        }
        // 5 % of 150 negatives are 7.5.
        #expect(change(7).lost == 0 && change(8).lost > 20)
        #expect(change(8).probability > 0.1 && change(15).probability < 0.01)
    }

    @Test func risingNegativesOfManyRecordingsAreALoss() throws {
        let change = difference(run(seed: 1), run(seed: 1) { _, number, own in number == 0 ? 5 : own })
        #expect(change.lost > 0 && change.gained == 0 && change.probability < 0.01)
        #expect(change.interval.map { $0.upper < 0 } == true)
    }

    @Test func lossesOfManyRecordingsAreALoss() throws {
        let before = run(seed: 1)
        let after = before.map { cluster, scores in
            (
                cluster: cluster,
                scores: ScoredTrial(
                    isPositive: scores.isPositive, rightScore: scores.rightScore.map { $0 - 4 },
                    wrongScore: scores.wrongScore)
            )
        }
        #expect(difference(before, after).probability < 0.01)
        let back = difference(after, before)
        #expect(back.gained == difference(before, after).lost && back.probability < 0.01)
    }

    @Test func chanceSeldomGivesADifference() {
        let significant = (UInt64(0)..<100).count { round in
            // The same recordings, each query with new luck in the second run.
            let before = run(seed: round)
            var generator = SeededGenerator(seed: round, "again")
            func noisy(_ score: Double?) -> Double? { score.map { $0 + generator.uniform(in: -1...1) } }
            let runs = (0..<2).map { _ in
                before.map { cluster, scores in
                    (
                        cluster: cluster,
                        scores: ScoredTrial(
                            isPositive: scores.isPositive, rightScore: noisy(scores.rightScore),
                            wrongScore: noisy(scores.wrongScore))
                    )
                }
            }
            return difference(runs[0], runs[1]).probability < 0.05
        }
        #expect(significant <= 9)
    }

    @Test func onlyCountedPositivesAreCompared() {
        let before = run(seed: 2)
        let pairs = zip(before, run(seed: 3)).map {
            FittedRecallDifference.Pair(
                cluster: $0.cluster, before: $0.scores, after: $1.scores,
                isCounted: $0.cluster == "positive 4")
        }
        #expect(FittedRecallDifference(pairs, seed: 1).trials == 20)
        #expect(FittedRecallDifference([], seed: 1).difference == nil)
        let single = FittedRecallDifference(Array(pairs.prefix(20)), seed: 1)
        #expect(single.probability == 1 && single.interval == nil)
    }

    /// Two recordings: every draw of one of them alone changes the threshold.
    @Test func theIntervalOfARecallAllowsForItsThreshold() throws {
        let trials = run(seed: 4) { recording, number, own in recording == "3" && number == 0 ? 6 : own }
            .map { (cluster: $0.cluster, scores: $0.scores, sets: [0]) }
        let point = ZeroFalseAcceptPoint(trials.map(\.scores))
        let known = try #require(
            Proportion(
                clustered: trials.filter(\.scores.isPositive)
                    .map { ($0.cluster, $0.scores.isRight(above: point.highestWrongScore)) }
            ).wilsonInterval())
        let own = try #require(
            ZeroFalseAcceptPoint.intervals(of: trials, sets: 1, ClusterBootstrap(resamples: 499, seed: 1))[0])
        #expect(own.lower <= known.lower && own.upper > known.upper)
        #expect(point.recall.rate.map(own.contains) == true)
    }
}
