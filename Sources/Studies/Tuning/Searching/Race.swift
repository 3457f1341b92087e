import Metrics

/// Drops candidates that lost over the same trials.
///
/// Successive halving keeps a fixed share of the best at each rung (K. Jamieson and A. Talwalkar, "Non-stochastic
/// best arm identification and hyperparameter optimization", AISTATS 2016). A race also drops every candidate that is
/// significantly worse than the best, however few remain (M. Birattari and others, "A racing algorithm for
/// configuring metaheuristics", GECCO 2002). The test here is a sign-flip test of the paired differences, by whole
/// recordings.
package enum Race {
    package struct Entry: Sendable {
        package let number: Int
        /// Nil when it failed.
        package let objectives: Objectives?
        /// The cluster and whether it was won, for each positive trial, in the same order for all candidates.
        package let wins: [(cluster: String, isWon: Bool)]

        package init(
            number: Int, trials: [(cluster: String, scores: ScoredTrial)], milliseconds: [Double] = [],
            indexBytes: Int? = nil
        ) {
            self.number = number
            let objectives = Objectives(
                trials.map(\.scores), milliseconds: milliseconds, indexBytes: indexBytes)
            self.objectives = objectives
            wins = trials.filter(\.scores.isPositive).map {
                ($0.cluster, $0.scores.isRight(above: objectives.highestWrongScore))
            }
        }

        package init(failed number: Int) {
            self.number = number
            objectives = nil
            wins = []
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
    /// - Parameters:
    ///   - most: The limit of their number, at least 1.
    ///   - significance: Drops candidates that are worse than the best with a two-sided probability below this.
    ///   - seed: The seed of the sign-flip test.
    package static func survivors(
        of entries: [Entry], keeping most: Int, significance: Double = 0.05, seed: UInt64
    ) -> [Entry] {
        let ranked = ranking(entries).filter { $0.objectives != nil }
        guard let best = ranked.first else { return [] }
        return ranked.prefix(max(1, most)).filter { entry in
            let test = SignFlipTest(differences(best, entry), permutations: 999, seed: seed)
            return test.mean <= 0 || test.probability >= significance
        }
    }

    /// For each positive trial: 1 where only `one` won, −1 where only `other` did, else 0.
    static func differences(_ one: Entry, _ other: Entry) -> [(cluster: String, difference: Double)] {
        zip(one.wins, other.wins).map { a, b in
            (a.cluster, (a.isWon ? 1.0 : 0) - (b.isWon ? 1.0 : 0))
        }
    }
}
