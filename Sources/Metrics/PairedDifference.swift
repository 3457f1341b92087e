/// The difference of a rate before and after a change, over the same trials, for other recordings.
package struct PairedDifference: Codable, Hashable, Sendable {
    /// The pairs that succeeded only after.
    private let gains: Proportion
    /// The pairs that succeeded only before.
    private let losses: Proportion

    package var trials: Int { gains.trials }
    package var gained: Int { gains.successes }
    package var lost: Int { losses.successes }

    /// The least correlation of two changes of a cluster that an interval allows for.
    ///
    /// Changes are rare, so few pairs show how alike those of a cluster are. This is the least value with which simulated
    /// intervals hold for correlations up to 0.4 (`scripts/nightly.sh --only coverage`).
    private static let leastCorrelation = 0.2

    /// Counts clustered pairs.
    package init(_ pairs: some Sequence<(cluster: String, before: Bool, after: Bool)>) {
        let pairs = Array(pairs)
        gains = Self.share(pairs.map { ($0.cluster, $0.after && !$0.before ? 1.0 : 0) })
        losses = Self.share(pairs.map { ($0.cluster, $0.before && !$0.after ? 1.0 : 0) })
    }

    /// The share of pairs that changed.
    ///
    /// The design effect is the sandwich variance over clusters divided by that of independent pairs, at least that of
    /// ``leastCorrelation``.
    private static func share(_ changes: [(cluster: String, value: Double)]) -> Proportion {
        let totals = ClusterTotals(changes)
        let (n, m) = (Double(changes.count), Double(totals.sums.count))
        let changed = Int(totals.sums.reduce(0, +))
        guard totals.sums.count < changes.count else { return Proportion(changed, of: changes.count) }
        let rate = Double(changed) / n
        let spread = zip(totals.sums, totals.counts).map { sum, count in
            (sum - rate * count) * (sum - rate * count)
        }.sorted().reduce(0, +)
        let seen = changed > 0 && m > 1 && rate < 1 ? m / (m - 1) * spread / (n * rate * (1 - rate)) : 1
        let size = totals.counts.reduce(0) { $0 + $1 * $1 } / n
        return Proportion(
            changed, of: changes.count, clusters: totals.sums.count,
            designEffect: max(seen, 1 + (size - 1) * leastCorrelation))
    }

    /// After minus before, −1…1; nil without pairs.
    package var difference: Double? { trials > 0 ? Double(gained - lost) / Double(trials) : nil }

    /// The interval of the difference; nil without pairs.
    ///
    /// The limits of gains and of losses are score intervals by cluster. They are joined by the method of variance
    /// estimates recovery, with the correlation of two shares of the same pairs.
    ///
    /// G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general approach",
    /// Statistics in Medicine 27(10), 2008.
    package func interval(confidence: Double = 0.95) -> Interval? {
        guard let won = gains.rate, let gone = losses.rate,
            let gain = gains.wilsonInterval(confidence: confidence),
            let loss = losses.wilsonInterval(confidence: confidence)
        else { return nil }
        let kept = (1 - won) * (1 - gone)
        let correlation = kept > 0 ? -(won * gone / kept).squareRoot() : -1
        func reach(_ one: Double, _ other: Double) -> Double {
            (one * one + other * other - 2 * correlation * one * other).squareRoot()
        }
        return Interval(
            lower: max(-1, won - gone - reach(won - gain.lower, loss.upper - gone)),
            upper: min(1, won - gone + reach(gain.upper - won, gone - loss.lower)))
    }
}

extension Proportion {
    /// The number of trials that would put the whole interval on one side of `limit`.
    ///
    /// Assumes the observed rate and design effect.
    /// - Returns: nil if a million times as many trials would not be enough.
    public func trialsNeeded(toDecide limit: Double, confidence: Double = 0.95) -> Int? {
        guard
            let times = Self.leastTimes({ times in
                guard let interval = wilsonInterval(confidence: confidence, times: times) else {
                    return false
                }
                return interval.lower >= limit || interval.upper < limit
            })
        else { return nil }
        return Int((times * Double(trials)).rounded(.up))
    }

    /// The least factor in 1…10⁶, to a thousandth, from which `isEnough` holds; nil if it never does.
    private static func leastTimes(_ isEnough: (Double) -> Bool) -> Double? {
        var (low, high) = (1.0, 1e6)
        if isEnough(low) { return low }
        guard isEnough(high) else { return nil }
        while high / low > 1.001 {
            let middle = (low * high).squareRoot()
            if isEnough(middle) { high = middle } else { low = middle }
        }
        return high
    }
}
