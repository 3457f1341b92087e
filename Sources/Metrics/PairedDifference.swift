/// The difference of a rate before and after a change, over the same trials.
package struct PairedDifference: Codable, Hashable, Sendable {
    package let trials: Int
    /// Pairs that succeeded only after.
    package let gained: Int
    /// Pairs that succeeded only before.
    package let lost: Int
    /// The variance of the difference over that of the same number of independent pairs, at least 1.
    package let designEffect: Double

    /// Counts clustered pairs.
    ///
    /// The design effect is the sandwich variance over clusters divided by that of independent pairs.
    package init(_ pairs: some Sequence<(cluster: String, before: Bool, after: Bool)>) {
        let differences = pairs.map { pair in
            (cluster: pair.cluster, value: (pair.after ? 1.0 : 0) - (pair.before ? 1.0 : 0))
        }
        trials = differences.count
        gained = differences.count { $0.value > 0 }
        lost = differences.count { $0.value < 0 }
        let totals = ClusterTotals(differences)
        let n = Double(trials)
        let mean = n > 0 ? Double(gained - lost) / n : 0
        let alone = n > 0 ? (Double(gained + lost) / n - mean * mean) / n : 0
        let m = Double(totals.sums.count)
        guard m > 1, alone > 0 else {
            designEffect = 1
            return
        }
        let spread = zip(totals.sums, totals.counts).map { sum, count in
            (sum - mean * count) * (sum - mean * count)
        }.sorted().reduce(0, +)
        designEffect = max(1, m / (m - 1) * spread / (n * n) / alone)
    }

    /// After minus before, −1…1; nil without pairs.
    package var difference: Double? { trials > 0 ? Double(gained - lost) / Double(trials) : nil }

    /// The interval of the difference; nil without pairs.
    ///
    /// It is the Wald interval with one more pair of each kind that changed, for the effective number of pairs.
    ///
    /// D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions
    /// based on paired data", J. Educ. Behav. Stat. 37(4), 2012.
    package func interval(confidence: Double = 0.95) -> Interval? {
        interval(confidence: confidence, times: 1)
    }

    /// The number of pairs that would decide whether the loss is at most `loss`, above 0, or significant.
    ///
    /// Assumes the observed shares and design effect.
    /// - Returns: nil if a million times as many pairs would not be enough.
    package func trialsNeeded(toExclude loss: Double, confidence: Double = 0.95) -> Int? {
        guard
            let trials = ProportionPlanning.leastTimes({ times in
                guard let interval = interval(confidence: confidence, times: times) else { return false }
                return interval.lower >= -loss || interval.upper < 0
            })
        else { return nil }
        return Int((trials * Double(self.trials)).rounded(.up))
    }

    private func interval(confidence: Double, times: Double) -> Interval? {
        guard trials > 0 else { return nil }
        let scale = times / designEffect
        let n = Double(trials) * scale + 2
        let won = (Double(gained) * scale + 1) / n
        let gone = (Double(lost) * scale + 1) / n
        let half =
            NormalDistribution.quantile((1 + confidence) / 2)
            * ((won + gone - (won - gone) * (won - gone)) / n).squareRoot()
        return Interval(lower: max(-1, won - gone - half), upper: min(1, won - gone + half))
    }
}

extension Proportion {
    /// The number of trials that would put the whole interval on one side of `limit`.
    ///
    /// Assumes the observed rate and design effect.
    /// - Returns: nil if a million times as many trials would not be enough.
    public func trialsNeeded(toDecide limit: Double, confidence: Double = 0.95) -> Int? {
        guard
            let times = ProportionPlanning.leastTimes({ times in
                guard let interval = wilsonInterval(confidence: confidence, times: times) else {
                    return false
                }
                return interval.lower >= limit || interval.upper < limit
            })
        else { return nil }
        return Int((times * Double(trials)).rounded(.up))
    }
}

private enum ProportionPlanning {
    /// The least factor in 1…10⁶, to a thousandth, from which `isEnough` holds; nil if it never does.
    static func leastTimes(_ isEnough: (Double) -> Bool) -> Double? {
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
