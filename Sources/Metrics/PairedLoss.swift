import Foundation

/// The net loss of a rate over the same trials: the successes lost less those won, for each trial.
///
/// It is about these trials. ``PairedDifference`` has the interval for other recordings.
///
/// Let W trials of n be won, each with probability q, and L be lost, each with q + δ, where δ is the true net loss. The
/// probability of a net loss of at least L − W is summed exactly, with the likeliest q of that δ: T. Tango, "Equivalence
/// test and confidence interval for the difference in proportions for the paired-sample design", Statistics in Medicine
/// 17(8), 1998. The exact sum instead of his normal approximation: C. J. Lloyd, "Exact P-values for discrete models
/// obtained by estimation and maximization", Australian & New Zealand Journal of Statistics 50(4), 2008.
///
/// Trials count as independent, unless changes come together in recordings by more than chance (``designEffect``).
package struct PairedLoss: Hashable, Sendable {
    package let trials: Int
    /// The pairs that succeeded only before.
    package let lost: Int
    /// The pairs that succeeded only after.
    package let won: Int
    package let clusters: Int
    /// The variance between clusters over that of independent trials; 1 unless chance gives more in less than 1 %.
    package let designEffect: Double

    /// Counts independent pairs.
    package init(lost: Int, won: Int, of trials: Int) {
        self.init(lost: lost, won: won, of: trials, clusters: trials, designEffect: 1)
    }

    private init(lost: Int, won: Int, of trials: Int, clusters: Int, designEffect: Double) {
        precondition(lost >= 0 && won >= 0 && lost + won <= trials, "\(lost) and \(won) of \(trials) trials")
        self.lost = lost
        self.won = won
        self.trials = trials
        self.clusters = clusters
        self.designEffect = designEffect
    }

    /// Counts clustered pairs.
    package init(_ pairs: some Sequence<(cluster: String, before: Bool, after: Bool)>) {
        let changes = pairs.map { (cluster: $0.cluster, value: ($0.before ? 1.0 : 0) - ($0.after ? 1.0 : 0)) }
        let (lost, won) = (changes.count { $0.value > 0 }, changes.count { $0.value < 0 })
        let totals = ClusterTotals(changes)
        self.init(
            lost: lost, won: won, of: changes.count, clusters: totals.sums.count,
            designEffect: Self.designEffect(totals, changed: Double(lost + won)))
    }

    /// Pearson's dispersion over clusters, if its probability is below 1 % by the transformation of Wilson and Hilferty.
    private static func designEffect(_ totals: ClusterTotals, changed: Double) -> Double {
        let mean = totals.sums.reduce(0, +) / totals.count
        let variance = changed / totals.count - mean * mean
        let freedom = Double(totals.sums.count) - 1
        guard variance > 0, freedom >= 1 else { return 1 }
        let squares = zip(totals.sums, totals.counts).map { sum, count in
            let residual = sum - mean * count
            return residual * residual / (count * variance)
        }
        let dispersion = squares.reduce(0, +) / freedom
        let spread = 2 / (9 * freedom)
        let deviate = (cbrt(dispersion) - (1 - spread)) / spread.squareRoot()
        return deviate > NormalDistribution.quantile(0.99) ? max(1, dispersion) : 1
    }

    /// Lost minus won, for each trial; 0 without trials.
    package var loss: Double { trials > 0 ? Double(lost - won) / Double(trials) : 0 }

    /// The same change in the other direction.
    package var reversed: PairedLoss {
        PairedLoss(lost: won, won: lost, of: trials, clusters: clusters, designEffect: designEffect)
    }

    /// The one-sided probability of at least this net loss if the true one is `loss`.
    package func probability(beyond loss: Double) -> Double {
        lost + won == 0 && loss >= 0 ? 1 : corrected(tail(at: loss, isUpper: true))
    }

    /// The one-sided probability of at most this net loss if the true one is `loss`.
    package func probability(below loss: Double) -> Double { corrected(tail(at: loss, isUpper: false)) }

    /// The least ``probability(beyond:)`` of as many changed trials: that of losses only.
    package func leastProbability(beyond loss: Double) -> Double {
        PairedLoss(lost: lost + won, won: 0, of: trials).probability(beyond: loss)
    }

    /// The true losses that neither side excludes at `significance`; nil without trials.
    package func interval(significance: Double) -> Interval? {
        guard trials > 0 else { return nil }
        return Interval(
            lower: Bisection.root(between: -1, and: loss) { probability(beyond: $0) < significance },
            upper: Bisection.root(between: loss, and: 1) { probability(below: $0) >= significance })
    }

    /// The normal deviate of a probability, divided by the root of the design effect, in Student's distribution.
    private func corrected(_ probability: Double) -> Double {
        guard designEffect > 1, probability > 0, probability < 1 else { return probability }
        let deviate = -NormalDistribution.quantile(probability) / designEffect.squareRoot()
        return StudentDistribution(degreesOfFreedom: Double(clusters - 1)).exceeding(deviate)
    }

    private func tail(at loss: Double, isUpper: Bool) -> Double {
        let gain = likeliestGain(at: loss)
        let wins = BinomialDistribution(trials: trials, rate: gain)
        let rate = gain < 1 ? min(1, max(0, (gain + loss) / (1 - gain))) : 0
        // Nine standard deviations leave out less than rounding does.
        let (mean, reach) = (Double(trials) * gain, 9 * ((Double(trials) * gain).squareRoot() + 1))
        let counts = max(0, Int(mean - reach))...min(trials, Int(mean + reach))
        let probability = counts.reduce(0.0) { sum, won in
            let losses = BinomialDistribution(trials: trials - won, rate: rate)
            let least = lost - self.won + won
            return sum + wins.probability(of: won) * (isUpper ? losses.atLeast(least) : losses.atMost(least))
        }
        return min(1, probability)
    }

    /// The likeliest probability of a win if the true net loss is `loss`: Tango's equation 9.
    private func likeliestGain(at loss: Double) -> Double {
        let (n, lost, won) = (Double(trials), Double(lost), Double(won))
        let linear = lost + won - loss * (2 * n - lost + won)
        let root = max(0, linear * linear + 8 * n * won * loss * (1 - loss)).squareRoot()
        return min(max((linear + root) / (4 * n), max(0, -loss)), (1 - loss) / 2)
    }
}
