import AudioCore
import Evaluation
import Matchers
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
            indexBytes: Int? = nil, referenceSeconds: Double = 0,
            goals: TuningGoals = .standard
        ) {
            self.number = number
            let objectives = Objectives(
                trials, milliseconds: milliseconds, indexBytes: indexBytes,
                referenceSeconds: referenceSeconds,
                goals: goals)
            self.objectives = objectives
            self.trials = trials
            wins = trials.filter(\.scores.isPositive).map {
                ($0.cluster, $0.scores.isRight(above: objectives.above))
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
    ///
    /// With several goals, those that no other dominates come first.
    package static func ranking(_ entries: [Entry], by goals: TuningGoals = .standard) -> [Entry] {
        let layers = goals.wanted.count > 1 ? layers(entries, by: goals) : [:]
        return entries.sorted { one, other in
            guard let a = one.objectives, let b = other.objectives else {
                return one.objectives != nil || (other.objectives == nil && one.number < other.number)
            }
            let (mine, others) = (layers[one.number] ?? 0, layers[other.number] ?? 0)
            if mine != others { return mine < others }
            if goals.prefers(a, to: b) { return true }
            return !goals.prefers(b, to: a) && one.number < other.number
        }
    }

    /// The layer of each candidate: 0 on the front, 1 on the front of the others, and so on.
    private static func layers(_ entries: [Entry], by goals: TuningGoals) -> [Int: Int] {
        var layers: [Int: Int] = [:]
        var rest = entries.compactMap { entry in entry.objectives.map { (number: entry.number, $0) } }
        for layer in 0... where !rest.isEmpty {
            let front = rest.filter { one in !rest.contains { goals.dominates($0.1, one.1) } }
            // Candidates beyond the limits dominate nobody.
            for one in front { layers[one.number] = layer }
            rest.removeAll { one in layers[one.number] != nil }
            if rest.isEmpty { break }
        }
        return layers
    }

    /// The candidates that continue, best first.
    ///
    /// - Parameter significance: drops candidates that are worse than the best with a two-sided probability below this.
    package static func survivors(
        of entries: [Entry], by goals: TuningGoals = .standard, keeping most: Int,
        significance: Double = 0.05, seed: UInt64
    ) -> [Entry] {
        let ranked = ranking(entries, by: goals).filter { $0.objectives != nil }
        guard let best = ranked.first else { return [] }
        let kept = ranked.prefix(max(1, most))
        // Less recall is no reason to drop a candidate of a front, or one before the best in the limits.
        guard goals.wanted.count == 1 else { return Array(kept) }
        return kept.filter { entry in
            let change = difference(of: best, from: entry, goals: goals, resamples: 999, seed: seed)
            return (change.difference ?? 0) <= 0 || change.probability >= significance
        }
    }

    /// What `one` finds at its own threshold, against what `other` finds at its own.
    ///
    /// Thresholds allow no wrong answer, or the share of false accepts that `one` has.
    static func difference(
        of one: Entry, from other: Entry, goals: TuningGoals, resamples: Int = 1999, seed: UInt64
    ) -> FittedRecallDifference {
        FittedRecallDifference(
            zip(one.trials, other.trials).map { one, other in
                .init(cluster: one.cluster, before: other.scores, after: one.scores)
            }, falseAcceptRate: goals.falseAcceptShare == nil ? nil : one.objectives?.falseAccepts.rate,
            resamples: resamples, seed: seed)
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

    /// The shares of the trials of each rung when a contestant is searched over a plan.
    ///
    /// A program enrols all references again on each rung. Unless the queries last much longer than the references, a short race
    /// then costs nearly as much as a long one and tells less. So there is one rung.
    package static func shares(for contestant: Contestant, over plan: Plan) -> [Double] {
        guard !contestant.codeFiles.contains(Contestant.ownProgram) else { return thirds }
        let asked = plan.trials.reduce(0) { $0 + $1.cell.lengthSeconds }
        let enrolled = Set(plan.trials.map(\.fold)).reduce(0) { sum, fold in
            sum + plan.references(leavingOut: fold).reduce(0) { $0 + $1.durationSeconds }
        }
        return asked < 3 * enrolled ? [1] : thirds
    }

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
