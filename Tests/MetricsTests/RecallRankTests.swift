import AudioCore
import Metrics
import Testing

@Suite struct RecallRankTests {
    private typealias Trials = [(cluster: String, scores: ScoredTrial)]

    /// Positives of 20 recordings with luck of their own, and negatives of 15; `gain` is added to right scores.
    private func contestant(seed: UInt64, gain: Double = 0) -> Trials {
        var generator = SeededGenerator(seed: seed, "contestant")
        let positives = (0..<20).flatMap { recording in
            let level = generator.uniform(in: -4...4) + gain
            return (0..<10).map { _ in
                (
                    cluster: "positive \(recording)",
                    scores: ScoredTrial(
                        score: level + generator.uniform(in: -4...4), isRight: true, isPositive: true)
                )
            }
        }
        let negatives = (0..<15).flatMap { recording in
            (0..<10).map { _ in
                (
                    cluster: "negative \(recording)",
                    scores: ScoredTrial(
                        score: generator.uniform(in: -6...0), isRight: false, isPositive: false)
                )
            }
        }
        return positives + negatives
    }

    private func ranks(_ contestants: [Trials]) -> [RecallRank] {
        RecallRank.ranks(of: contestants, falseAcceptRate: 0.01, ClusterBootstrap(resamples: 499, seed: 7))
    }

    @Test func identicalContestantsShareRanks() {
        let one = contestant(seed: 1, gain: 2)
        let ranks = ranks([one, contestant(seed: 2, gain: -20), one, one])
        #expect(Set([ranks[0], ranks[2], ranks[3]]).count == 1)
        #expect(ranks[0].rank == 1 && ranks[0].lower == 1 && ranks[0].upper == 3)
        #expect(ranks[1].rank == 4 && ranks[1].lower == 4 && ranks[1].upper == 4)
    }

    @Test func oneThatFindsEveryQueryBeforeAllOthersIsSurelyFirst() {
        let ranks = ranks([
            contestant(seed: 1), contestant(seed: 2, gain: 20), contestant(seed: 3, gain: 1),
        ])
        #expect(ranks[1].rank == 1 && ranks[1].lower == 1 && ranks[1].upper == 1)
        #expect(ranks[0].lower >= 2 && ranks[2].lower >= 2)
    }

    /// The order of the contestants, the order of the trials and a rising function of the scores change nothing.
    @Test func onlyTheOrderOfScoresDecides() {
        let contestants = (1...5).map { contestant(seed: $0, gain: Double($0) / 2) }
        let plain = ranks(contestants)
        #expect(ranks(contestants.reversed()) == Array(plain.reversed()))
        #expect(ranks(contestants.map { $0.reversed() }) == plain)
        let other = contestants.enumerated().map { number, trials -> Trials in
            trials.map { trial in
                func risen(_ score: Double?) -> Double? { score.map { Double(number + 1) * $0 + 3 } }
                return (
                    cluster: trial.cluster,
                    scores: ScoredTrial(
                        isPositive: trial.scores.isPositive, rightScore: risen(trial.scores.rightScore),
                        wrongScore: risen(trial.scores.wrongScore))
                )
            }
        }
        #expect(ranks(other) == plain)
    }

    @Test func intervalsContainTheRankAndTheRanksThatExist() {
        for round in UInt64(0)..<10 {
            let count = 2 + Int(round % 4)
            let ranks = ranks((0..<count).map { contestant(seed: 10 * round + UInt64($0), gain: Double($0)) })
            for rank in ranks {
                #expect(1 <= rank.lower && rank.lower <= rank.rank)
                #expect(rank.rank <= rank.upper && rank.upper <= count)
            }
            #expect(ranks.contains { $0.rank == 1 })
            // A rank is 1 more than the number of those before it.
            for rank in ranks { #expect(rank.rank == 1 + ranks.count { $0.rank < rank.rank }) }
        }
    }

    /// Each contestant is a little better than the one before it, and by luck often comes before or after its place.
    @Test func intervalsContainTheTrueRank() {
        let rounds = 100
        var contained = [Int](repeating: 0, count: 4)
        var isRight = 0
        for round in UInt64(0)..<UInt64(rounds) {
            let ranks = ranks(
                (0..<4).map { contestant(seed: 100 + 4 * round + UInt64($0), gain: 2 - 0.4 * Double($0)) })
            for (place, rank) in ranks.enumerated() {
                if rank.lower <= place + 1 && place + 1 <= rank.upper { contained[place] += 1 }
                if rank.rank == place + 1 { isRight += 1 }
            }
        }
        #expect(contained.allSatisfy { $0 >= 95 }, "\(contained)")
        // The rank alone says less.
        #expect(isRight < 4 * rounds * 8 / 10)
    }

    /// The recalls differ by the luck of a few recordings only, or by much more than that.
    @Test func luckLeavesTheOrderOpenAndALargeDifferenceSettlesIt() {
        let close = ranks([contestant(seed: 4, gain: 2), contestant(seed: 5, gain: 2)])
        #expect(close.allSatisfy { $0.lower == 1 && $0.upper == 2 })
        let far = ranks([contestant(seed: 4, gain: -2), contestant(seed: 5, gain: 4)])
        #expect(far.map(\.lower) == [2, 1] && far.map(\.upper) == [2, 1])
    }

    /// A single recording sets the threshold, and it is missing from 37 % of the draws.
    @Test func oneNegativeThatSetsAThresholdSettlesNothing() {
        let one = contestant(seed: 6, gain: 2)
        let spoilt = one.map { trial in
            trial.cluster == "negative 3"
                ? (cluster: trial.cluster, scores: ScoredTrial(score: 9, isRight: false, isPositive: false))
                : trial
        }
        let ranks = ranks([spoilt, one])
        #expect(ranks.map(\.rank) == [2, 1])
        #expect(ranks[0].lower == 1 && ranks[1].upper == 2)
    }

    @Test func withoutPositivesOrSpreadNothingIsKnown() {
        let negatives = contestant(seed: 1).filter { !$0.scores.isPositive }
        let single = contestant(seed: 1, gain: 9).map { (cluster: "one", scores: $0.scores) }
        let worse = contestant(seed: 1, gain: -9).map { (cluster: "one", scores: $0.scores) }
        for pair in [[negatives, negatives], [single, worse]] {
            #expect(ranks(pair).allSatisfy { $0.lower == 1 && $0.upper == 2 })
        }
        #expect(ranks([single, worse]).map(\.rank) == [1, 2])
        #expect(ranks([]).isEmpty)
        let alone = ranks([contestant(seed: 1)])
        #expect(alone.count == 1 && alone[0].rank == 1 && alone[0].lower == 1 && alone[0].upper == 1)
    }
}
