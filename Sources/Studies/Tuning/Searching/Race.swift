import AudioCore
import Metrics

/// Drops candidates that lost over the same trials.
///
/// Successive halving keeps a fixed share of the best at each rung (K. Jamieson and A. Talwalkar, "Non-stochastic
/// best arm identification and hyperparameter optimization", AISTATS 2016). A race also drops every candidate that is
/// significantly worse than the best, however few remain (M. Birattari and others, "A racing algorithm for
/// configuring metaheuristics", GECCO 2002). The test here draws whole recordings and finds the threshold of each
/// candidate again (`FittedRecallDifference`).
package enum Race {
    package struct Entry: Sendable {
        package let number: Int
        /// Nil when it failed.
        package let objectives: Objectives?
        /// The cluster and whether it was won, for each positive trial, in the same order for all candidates.
        package let wins: [(cluster: String, isWon: Bool)]
        /// The scores of all trials, in the same order for all candidates.
        let trials: [(cluster: String, scores: ScoredTrial)]

        package init(
            number: Int, trials: [(cluster: String, scores: ScoredTrial)], milliseconds: [Double] = [],
            indexBytes: Int? = nil
        ) {
            self.number = number
            let objectives = Objectives(
                trials.map(\.scores), milliseconds: milliseconds, indexBytes: indexBytes)
            self.objectives = objectives
            self.trials = trials
            wins = trials.filter(\.scores.isPositive).map {
                ($0.cluster, $0.scores.isRight(above: objectives.highestWrongScore))
            }
        }

        package init(failed number: Int) {
            self.number = number
            objectives = nil
            wins = []
            trials = []
        }
    }

    /// The candidates, best first, failed ones last; equal ones stay in order of their numbers.
    package static func ranking(_ entries: [Entry]) -> [Entry] {
        entries.sorted { one, other in
            guard let a = one.objectives, let b = other.objectives else {
                return one.objectives != nil || (other.objectives == nil && one.number < other.number)
            }
            if a.isBetter(than: b) { return true }
            return !b.isBetter(than: a) && one.number < other.number
        }
    }

    /// The candidates that continue, best first.
    ///
    /// - Parameter significance: drops candidates that are worse than the best with a two-sided probability below this.
    package static func survivors(
        of entries: [Entry], keeping most: Int, significance: Double = 0.05, seed: UInt64
    ) -> [Entry] {
        let ranked = ranking(entries).filter { $0.objectives != nil }
        guard let best = ranked.first else { return [] }
        return ranked.prefix(max(1, most)).filter { entry in
            let change = difference(of: best, from: entry, resamples: 999, seed: seed)
            return (change.difference ?? 0) <= 0 || change.probability >= significance
        }
    }

    /// What `one` finds at its own threshold without a wrong answer, against what `other` finds at its own.
    static func difference(
        of one: Entry, from other: Entry, resamples: Int = 1999, seed: UInt64
    ) -> FittedRecallDifference {
        FittedRecallDifference(
            zip(one.trials, other.trials).map { one, other in
                .init(cluster: one.cluster, before: other.scores, after: one.scores)
            }, resamples: resamples, seed: seed)
    }
}

/// The trials of each rung of a race: each rung adds trials to the one before, up to all.
///
/// Every rung takes the same share of each stratum, at least one trial, so that a short race represents the long one.
package struct RungLadder: Sendable {
    /// The numbers of the trials of each rung, rising; the last rung holds all trials.
    package let rungs: [[Int]]

    /// A ninth, a third, all: three times as many trials for a third of the candidates.
    package static let thirds = [1.0 / 9, 1.0 / 3, 1]

    /// Divides trials, given the stratum of each, by draws from `seed`.
    ///
    /// - Parameter shares: Rising, above 0, the last 1.
    package init(strata: [String], shares: [Double] = thirds, seed: UInt64) {
        precondition(shares.last == 1 && shares == shares.sorted() && shares.allSatisfy { $0 > 0 })
        let groups = Dictionary(grouping: strata.indices, by: { strata[$0] })
        var rungs = [[Int]](repeating: [], count: shares.count)
        for (name, members) in groups {
            var generator = SeededGenerator(seed: seed, "rung", name)
            let order = members.shuffled(using: &generator)
            for (rung, share) in shares.enumerated() {
                rungs[rung] += order.prefix(max(1, Int(bounded: (share * Double(order.count)).rounded())))
            }
        }
        self.rungs = rungs.map { $0.sorted() }
    }
}

package struct Objectives: Codable, Hashable, Sendable {
    package let positives: Int
    package let negatives: Int
    /// Recall at the lowest threshold with nothing wrong claimed in these trials (`ZeroFalseAcceptPoint`).
    package let recallAtZeroFalseAccepts: Double
    /// The share of positives in which no wrong reference scores as high as a right one.
    package let rightTopShare: Double
    package let highestWrongScore: Double?
    package let indexBytes: Int?
    package let medianMilliseconds: Double

    init(_ trials: [ScoredTrial], milliseconds: [Double], indexBytes: Int?) {
        let point = ZeroFalseAcceptPoint(trials)
        positives = point.recall.trials
        negatives = point.negatives
        recallAtZeroFalseAccepts = point.recall.rate ?? 0
        highestWrongScore = point.highestWrongScore
        let first = trials.count { trial in
            trial.isPositive && (trial.rightScore ?? -.infinity) > (trial.wrongScore ?? -.infinity)
        }
        rightTopShare = point.recall.trials > 0 ? Double(first) / Double(point.recall.trials) : 0
        self.indexBytes = indexBytes
        medianMilliseconds = Percentile.of(milliseconds, at: 0.5) ?? 0
    }

    /// Whether it is better in recall, then right references in first place, then a smaller index.
    ///
    /// None depends on the machine.
    func isBetter(than other: Objectives) -> Bool {
        if recallAtZeroFalseAccepts != other.recallAtZeroFalseAccepts {
            return recallAtZeroFalseAccepts > other.recallAtZeroFalseAccepts
        }
        if rightTopShare != other.rightTopShare { return rightTopShare > other.rightTopShare }
        return (indexBytes ?? 0) < (other.indexBytes ?? 0)
    }

    /// Whether it is better in recall, processor time or index size, and worse in none.
    func dominates(_ other: Objectives) -> Bool {
        func costs(_ one: Objectives) -> [Double] {
            [-one.recallAtZeroFalseAccepts, one.medianMilliseconds, Double(one.indexBytes ?? 0)]
        }
        let (mine, others) = (costs(self), costs(other))
        return mine != others && zip(mine, others).allSatisfy { $0 <= $1 }
    }
}
