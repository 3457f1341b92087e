import Foundation

/// Bootstrap intervals that resample whole clusters.
///
/// A resample draws, with replacement, as many clusters as there are. The interval is bias-corrected and accelerated
/// (BCa): B. Efron, "Better bootstrap confidence intervals", JASA 82(397), 1987.
/// Whole clusters: Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8.
/// With fewer than ``ClusteredEstimate/enoughClusters`` clusters the interval may be too narrow.
package struct ClusterBootstrap: Hashable, Sendable {
    /// The wanted coverage, above 0 and below 1.
    package let confidence: Double
    package let resamples: Int
    package let seed: UInt64
    /// Whether the interval is corrected for bias and acceleration; if not, its ends are percentiles.
    package var isAccelerated = true

    /// Makes a bootstrap; the same seed gives the same interval on any number of threads.
    package init(confidence: Double = 0.95, resamples: Int = 1999, seed: UInt64) {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        precondition(resamples > 0, "\(resamples) resamples")
        self.confidence = confidence
        self.resamples = resamples
        self.seed = seed
    }

    /// Estimates a statistic of clusters that are numbered from 0.
    ///
    /// `statistic` takes the weight of each cluster. A resample for which it returns nil is left out.
    /// The result is nil with fewer than 2 clusters, or if the trials or more than half of the resamples have no
    /// statistic.
    package func estimate(clusters: Int, statistic: ([Int]) -> Double?) -> ClusteredEstimate? {
        estimates(clusters: clusters) { [statistic($0)] }.first ?? nil
    }

    /// Estimates several statistics from the same resamples; see ``estimate(clusters:statistic:)``.
    ///
    /// `statistics` always returns the same number of values in the same order.
    /// - Returns: one estimate for each statistic; empty with fewer than 2 clusters.
    package func estimates(clusters: Int, statistics: ([Int]) -> [Double?]) -> [ClusteredEstimate?] {
        guard clusters >= 2 else { return [] }
        var weights = [Int](repeating: 1, count: clusters)
        let values = statistics(weights)
        let jackknife = (0..<clusters).map { left in
            weights[left] = 0
            defer { weights[left] = 1 }
            return statistics(weights)
        }
        let replicates = draws(clusters: clusters, statistics)
        return values.enumerated().map { place, value in
            let own = replicates.compactMap { $0[place] }
            guard let value, own.count * 2 >= resamples else { return nil }
            return ClusteredEstimate(
                value: value,
                interval: interval(value, replicates: own, jackknife: jackknife.compactMap { $0[place] }),
                clusters: clusters)
        }
    }

    /// The statistic of each resample that has one, in the order of the draws.
    func replicates(clusters: Int, statistic: ([Int]) -> Double?) -> [Double] {
        draws(clusters: clusters, statistic).compactMap(\.self)
    }

    /// The statistics of each resample, in the order of the draws.
    func draws<Statistics>(clusters: Int, _ statistics: ([Int]) -> Statistics) -> [Statistics] {
        var weights = [Int](repeating: 0, count: clusters)
        return (0..<resamples).map { resample in
            let random = CountedRandom(seed: seed, draw: resample)
            for cluster in 0..<clusters { weights[cluster] = 0 }
            for draw in 0..<clusters { weights[random.index(below: clusters, at: draw)] += 1 }
            return statistics(weights)
        }
    }

    /// The mean of clustered values with its interval; nil with fewer than 2 clusters.
    ///
    /// Each value has the same weight. Values must be finite and may come in any order.
    package static func mean(
        _ values: some Sequence<(cluster: String, value: Double)>, confidence: Double = 0.95,
        resamples: Int = 1999, seed: UInt64
    ) -> ClusteredEstimate? {
        let totals = ClusterTotals(values)
        return ClusterBootstrap(confidence: confidence, resamples: resamples, seed: seed)
            .estimate(clusters: totals.sums.count) { weights in
                var (sum, count) = (0.0, 0.0)
                for (cluster, weight) in weights.enumerated() where weight > 0 {
                    sum += Double(weight) * totals.sums[cluster]
                    count += Double(weight) * totals.counts[cluster]
                }
                return count > 0 ? sum / count : nil
            }
    }

    /// Efron's equations 2.3 and 6.6: percentiles of the replicates, corrected for bias and acceleration.
    private func interval(_ value: Double, replicates: [Double], jackknife: [Double]) -> Interval {
        let sorted = replicates.sorted()
        let outer = [(1 - confidence) / 2, (1 + confidence) / 2]
        func interval(at ends: [Double]) -> Interval {
            let values = ends.map { Percentile.ofSorted(sorted, at: $0) ?? value }
            return Interval(lower: values[0], upper: values[1])
        }
        guard isAccelerated else { return interval(at: outer) }
        let below = sorted.count { $0 < value }
        let ties = sorted.count { $0 == value }
        let share = (Double(below) + Double(ties) / 2) / Double(sorted.count)
        // If all replicates are on one side, the share is the most extreme that their number can show.
        let least = 0.5 / Double(sorted.count)
        let bias = NormalDistribution.quantile(min(max(share, least), 1 - least))

        let mean = jackknife.reduce(0, +) / Double(max(1, jackknife.count))
        let squares = jackknife.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let cubes = jackknife.reduce(0) { $0 + (mean - $1) * (mean - $1) * (mean - $1) }
        let acceleration = squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0

        return interval(
            at: outer.map { probability in
                let z = bias + NormalDistribution.quantile(probability)
                return NormalDistribution.cumulative(bias + z / max(1 - acceleration * z, 1e-9))
            })
    }
}
