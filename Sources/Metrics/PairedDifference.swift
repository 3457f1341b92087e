/// By how much a rate differs before and after a change, over the same trials.
public struct PairedDifference: Codable, Hashable, Sendable {
    /// The pairs.
    public let trials: Int
    /// Pairs that succeeded after, and not before.
    public let gained: Int
    /// Pairs that succeeded before, and not after.
    public let lost: Int
    /// The variance of the difference over that of as many independent pairs, at least 1.
    public let designEffect: Double

    /// Counts pairs, each given with the name of its cluster.
    ///
    /// The design effect is the ratio of the sandwich variance over clusters to that of independent pairs, as
    /// for a ``Proportion`` of clustered trials.
    public init(_ pairs: some Sequence<(cluster: String, before: Bool, after: Bool)>) {
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
    public var difference: Double? { trials > 0 ? Double(gained - lost) / Double(trials) : nil }

    /// The interval of the difference; nil without pairs.
    ///
    /// The Wald interval with one more pair of each kind that changed: D. G. Bonett and R. M. Price,
    /// "Adjusted Wald confidence interval for a difference of binomial proportions based on paired data",
    /// Journal of Educational and Behavioral Statistics 37(4), 2012. Clustered pairs count for as many
    /// independent ones as tell the same.
    ///
    /// - Parameter confidence: the wanted coverage, above 0 and below 1.
    public func interval(confidence: Double = 0.95) -> Interval? {
        interval(confidence: confidence, times: 1)
    }

    /// How many pairs of the same kind would show that no more than `loss` was lost, or that something was.
    ///
    /// Supposes that shares and design effect stay as they were seen.
    ///
    /// - Parameter loss: the loss that is tolerated, above 0.
    /// - Returns: nil where a million times as many would show neither.
    public func trialsNeeded(toExclude loss: Double, confidence: Double = 0.95) -> Int? {
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
    /// How many trials of the same kind would put the interval wholly on one side of `limit`.
    ///
    /// Supposes that rate and design effect stay as they were seen.
    ///
    /// - Returns: nil where a million times as many would not.
    public func trialsNeeded(toDecide limit: Double, confidence: Double = 0.95) -> Int? {
        guard let rate,
            let times = ProportionPlanning.leastTimes({ times in
                guard
                    let interval = Self.wilsonInterval(
                        rate: rate, trials: effectiveTrials * times, confidence: confidence)
                else { return false }
                return interval.lower >= limit || interval.upper < limit
            })
        else { return nil }
        return Int((times * Double(trials)).rounded(.up))
    }
}

/// Looks for the number of trials that an answer needs.
enum ProportionPlanning {
    /// The least factor in 1…10⁶, to a thousandth, from which `isEnough` holds; nil when it never does.
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
