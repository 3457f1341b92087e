import Foundation

/// What a threshold is chosen for.
package enum ThresholdGoal: Hashable, Sendable {
    /// The lowest threshold at which at most this share of the negatives is accepted, 0…1.
    ///
    /// Of other negatives about as many are: fewer for one half of such choices, more for the other.
    case falseAccepts(about: Double)
    /// The lowest threshold at which as many negatives of other recordings exceed this share with a probability of at most
    /// 1 − `confidence`.
    case boundedFalseAccepts(atMost: Double, confidence: Double)
    /// The threshold of the least expected price.
    case leastCost
}

/// Every threshold on the score of some trials, with what is accepted there.
package struct ThresholdSweep: Sendable {
    /// The thresholds above one score and up to another, which decide all trials alike.
    package struct Step: Hashable, Sendable {
        /// Thresholds are above this; −∞ for the lowest step.
        package let above: Double
        /// The lowest accepted score.
        let upTo: Double
        package let hits: Int
        package let wrongReferences: Int
        package let falseAccepts: Int

        /// The threshold with the fewest digits near the middle of the step.
        package var threshold: Double { Self.rounded(above: above, upTo: upTo) }

        private static func rounded(above: Double, upTo: Double) -> Double {
            guard upTo.isFinite else { return upTo }
            // The lowest step has no other end.
            let lower = above.isFinite ? above : upTo - max(abs(upTo), 1e-300) * 0.1
            let middle = lower + (upTo - lower) / 2
            for digits in 0..<16 {
                let scale = pow(10, Double(digits))
                let rounded = (middle * scale).rounded() / scale
                if rounded > lower, rounded <= upTo { return rounded }
            }
            return upTo
        }
    }

    package let positives: Int
    package let negatives: Int
    /// By falling threshold, all of them accepting something.
    package let steps: [Step]
    /// The number of negatives in each cluster that has some.
    private let negativesOfClusters: [Int]
    /// The highest scores of negatives with their clusters, by falling score.
    private let accepts: [(score: Double, cluster: Int)]
    /// The number of clusters that is asked about, by that of these clusters.
    private let times: Double

    /// - Parameter clusters: the number of clusters with negatives that is asked about; nil for that of these trials.
    package init(_ trials: some Sequence<ThresholdTrial>, for clusters: Int? = nil) {
        var changes: [Double: (hits: Int, wrong: Int, accepts: Int)] = [:]
        var (positives, negatives) = (0, 0)
        var places: [String: Int] = [:]
        var negativesOfClusters: [Int] = []
        var accepts: [(score: Double, cluster: Int)] = []
        for trial in trials {
            guard trial.isPositive else {
                negatives += 1
                let place = places[trial.cluster] ?? places.count
                if place == places.count {
                    places[trial.cluster] = place
                    negativesOfClusters.append(0)
                }
                negativesOfClusters[place] += 1
                if let highest = trial.claims.last?.score {
                    changes[highest, default: (0, 0, 0)].accepts += 1
                    accepts.append((highest, place))
                }
                continue
            }
            positives += 1
            // Each claim takes the place of the one with the next higher score.
            var replaced: Bool?
            for (score, isRight) in trial.claims.reversed() where isRight != replaced {
                changes[score, default: (0, 0, 0)].hits += (isRight ? 1 : 0) - (replaced == true ? 1 : 0)
                changes[score, default: (0, 0, 0)].wrong += (isRight ? 0 : 1) - (replaced == false ? 1 : 0)
                replaced = isRight
            }
        }
        self.positives = positives
        self.negatives = negatives
        self.negativesOfClusters = negativesOfClusters
        self.accepts = accepts.sorted { $0.score > $1.score }
        times = clusters.map { Double($0) / Double(places.count) } ?? 1
        let scores = changes.keys.sorted(by: >)
        var total = (hits: 0, wrong: 0, accepts: 0)
        steps = scores.enumerated().map { place, score in
            let change = changes[score] ?? (0, 0, 0)
            total = (total.hits + change.hits, total.wrong + change.wrong, total.accepts + change.accepts)
            return Step(
                above: place + 1 < scores.count ? scores[place + 1] : -.infinity, upTo: score,
                hits: total.hits, wrongReferences: total.wrong, falseAccepts: total.accepts)
        }
    }

    /// What reaches a goal.
    package enum Choice: Hashable, Sendable {
        case step(Step)
        /// No threshold that accepts anything reaches it.
        case acceptNothing

        package var threshold: Double? { if case .step(let step) = self { step.threshold } else { nil } }
    }

    /// The step that reaches `goal`; nil without negatives, and for the cost without positives.
    package func choice(for goal: ThresholdGoal, _ prices: DecisionPrices) -> Choice? {
        guard negatives > 0 else { return nil }
        switch goal {
        case .falseAccepts(about: let share):
            // Rounding must not turn a whole number into the one below.
            let allowed = share * Double(negatives) + 1e-9
            return steps.prefix { Double($0.falseAccepts) <= allowed }.last.map(Choice.step) ?? .acceptNothing
        case .boundedFalseAccepts(let share, let confidence):
            return lastStep(below: share, confidence: confidence).map(Choice.step) ?? .acceptNothing
        case .leastCost:
            guard positives > 0 else { return nil }
            var (best, least) = (Choice.acceptNothing, prices.prior * prices.miss)
            for step in steps {
                let cost = prices.expected(
                    missRate: 1 - Double(step.hits + step.wrongReferences) / Double(positives),
                    wrongReferenceRate: Double(step.wrongReferences) / Double(positives),
                    falseAcceptRate: Double(step.falseAccepts) / Double(negatives))
                // Equal costs differ in the last digits.
                if cost < least - 1e-12 { (best, least) = (.step(step), cost) }
            }
            return best
        }
    }

    /// The last step before the first whose false accepts have a bound above `share`.
    ///
    /// The steps are tests in a fixed order that ends at the first failure, so that their number does not add errors:
    /// the choice is wrong only if the test at the highest wrong threshold is.
    private func lastStep(below share: Double, confidence: Double) -> Step? {
        var clusters = negativesOfClusters.map { ClusterVariance.Sums(weight: Double($0)) }
        var (last, accepted) = (Step?.none, -1)
        for step in steps {
            if step.falseAccepts > accepted {
                for accept in accepts[max(0, accepted)..<step.falseAccepts] {
                    clusters[accept.cluster].success += 1
                }
                accepted = step.falseAccepts
                let bound = Proportion(clusters: clusters)
                    .upperBoundOfOthers(confidence: confidence, times: times)
                guard let bound, bound <= share else { break }
            }
            last = step
        }
        return last
    }

    /// At most `count` steps, spread evenly over all.
    package func thinned(to count: Int) -> [Step] {
        guard steps.count > count, count > 1 else { return steps }
        return (0..<count).map { steps[$0 * (steps.count - 1) / (count - 1)] }
    }
}

/// A threshold that was chosen for a goal, and what it does on recordings that had no part in the choice.
///
/// Clusters are divided into folds. The trials of each fold are decided at the threshold that the other folds choose, and all
/// are pooled: cross-fitting. Figures of the chosen threshold on the trials that chose it would be too good.
///
/// M. Stone, "Cross-validatory choice and assessment of statistical predictions", JRSS B 36(2), 1974.
package struct ThresholdChoice: Sendable {
    package let goal: ThresholdGoal
    /// The least accepted score, chosen on all trials; nil accepts nothing.
    package let threshold: Double?
    /// The lowest and the highest threshold of the folds; nil if a fold accepts nothing.
    package let foldThresholds: Interval?
    /// On other recordings than those of the choice; nil if they cannot be divided.
    package let crossFitted: OperatingPoint?
    /// On the trials of the choice.
    package let own: OperatingPoint

    /// Nil if `trials` cannot choose, for want of negatives or positives.
    package init?(_ goal: ThresholdGoal, of trials: CrossFittedTrials) {
        guard let choice = trials.sweep.choice(for: goal, trials.prices) else { return nil }
        self.goal = goal
        threshold = choice.threshold
        let choices = trials.folds.map { $0.others.choice(for: goal, trials.prices) }
        // A fold that holds all negatives leaves none to choose with.
        let isDivided = choices.count > 1 && !choices.contains(nil)
        own = OperatingPoint(
            trials.trials.map { $0.decided(at: choice.threshold) }, prices: trials.prices)
        guard isDivided else {
            crossFitted = nil
            foldThresholds = nil
            return
        }
        let thresholds = choices.map { $0?.threshold }
        let decided = zip(trials.folds, thresholds).flatMap { fold, threshold in
            fold.trials.map { $0.decided(at: threshold) }
        }
        crossFitted = OperatingPoint(decided, prices: trials.prices)
        let known = thresholds.compactMap(\.self)
        foldThresholds =
            known.count < thresholds.count
            ? nil : known.min().flatMap { lowest in known.max().map { Interval(lower: lowest, upper: $0) } }
    }
}

/// Trials with the thresholds that each part of their clusters leaves to the others, for several goals.
package struct CrossFittedTrials: Sendable {
    package let trials: [ThresholdTrial]
    package let prices: DecisionPrices
    /// All thresholds of all trials.
    package let sweep: ThresholdSweep
    fileprivate let folds: [(trials: [ThresholdTrial], others: ThresholdSweep)]

    package static let mostFolds = 10

    /// - Parameter seed: divides the clusters.
    package init(_ trials: [ThresholdTrial], prices: DecisionPrices, seed: UInt64) {
        self.trials = trials
        self.prices = prices
        sweep = ThresholdSweep(trials)
        // In a random order, in parts of nearly equal numbers.
        let random = CountedRandom(seed: seed, draw: 0)
        let names = Set(trials.map(\.cluster)).sorted().enumerated()
            .map { (key: random.bits(at: $0), name: $1) }.sorted { ($0.key, $0.name) < ($1.key, $1.name) }
        let count = min(Self.mostFolds, names.count)
        let clusters = Set(trials.lazy.filter { !$0.isPositive }.map(\.cluster)).count
        folds = (0..<count).map { fold in
            let own = Set(names.enumerated().filter { $0.offset % count == fold }.map(\.element.name))
            return (
                trials.filter { own.contains($0.cluster) },
                ThresholdSweep(trials.filter { !own.contains($0.cluster) }, for: clusters)
            )
        }
    }
}
