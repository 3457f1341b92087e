/// The calibration of stated probabilities.
package struct ReliabilityDiagram: Codable, Hashable, Sendable {
    /// A stated probability and its outcome.
    package struct Forecast: Hashable, Sendable {
        /// The stated probability, 0…1.
        package let probability: Double
        package let happened: Bool
        /// The weight, above 0.
        package let weight: Double
        /// The cluster of forecasts that depend on each other.
        package let cluster: String

        package init(probability: Double, happened: Bool, weight: Double = 1, cluster: String) {
            self.probability = probability
            self.happened = happened
            self.weight = weight
            self.cluster = cluster
        }
    }

    package struct Bin: Codable, Hashable, Sendable {
        /// The probabilities, lower end included, upper end only in the last bin.
        package let range: Interval
        /// The number of forecasts, at least 1.
        package let count: Int
        package let share: Double
        /// The weighted mean of the stated probabilities.
        package let stated: Double
        /// The weighted share of events that happened.
        package let observed: Double
        /// The 95 % Wilson interval of ``observed`` with clustered, weighted trials.
        package let interval: Interval
    }

    /// The bins that hold a forecast, in rising order.
    package let bins: [Bin]
    /// The number of forecasts, at least 1.
    package let count: Int
    /// The mean distance of ``Bin/observed`` from ``Bin/stated``, weighted by the bins' shares.
    ///
    /// Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
    /// binning", AAAI 2015. It is never exactly 0. In small bins it is mostly chance.
    package let expectedCalibrationError: Double
    /// The weighted mean square of the probability minus 1 or 0.
    ///
    /// G. W. Brier, Monthly Weather Review 78(1), 1950, for two outcomes. A constant 0.5 gives 0.25.
    package let brierScore: Double
    /// The calibrated probabilities: an isotonic fit of the outcomes.
    package let isotonic: IsotonicFit

    /// Tenths, with the outermost hundredths apart, because most answers are nearly certain.
    package static let edges = [0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1]

    /// Bins forecasts in any order, with edges that rise from 0 to 1; nil without forecasts.
    ///
    /// Leaves out probabilities outside 0…1.
    package init?(_ forecasts: [Forecast], edges: [Double] = Self.edges) {
        precondition(edges.first == 0 && edges.last == 1, "the bins must reach from 0 to 1")
        let used = forecasts.filter { (0...1).contains($0.probability) && $0.weight > 0 }
        let total = Self.sum(used.map(\.weight))
        guard total > 0 else { return nil }
        let groups = Dictionary(grouping: used) { forecast in
            (edges.dropLast().lastIndex { $0 <= forecast.probability }) ?? 0
        }
        bins = groups.keys.sorted().compactMap { number in
            Bin(groups[number] ?? [], from: edges[number], to: edges[number + 1], total: total)
        }
        count = used.count
        expectedCalibrationError = bins.reduce(0) { $0 + $1.share * abs($1.observed - $1.stated) }
        isotonic = IsotonicFit(used.map { ($0.probability, $0.happened ? 1 : 0, $0.weight) })
        brierScore =
            Self.sum(
                used.map { forecast in
                    let miss = forecast.probability - (forecast.happened ? 1 : 0)
                    return forecast.weight * miss * miss
                }) / total
    }

    /// Sorted, so that the last digit does not depend on the order of the forecasts.
    fileprivate static func sum(_ values: [Double]) -> Double { values.sorted().reduce(0, +) }
}

extension ReliabilityDiagram.Bin {
    fileprivate init?(
        _ forecasts: [ReliabilityDiagram.Forecast], from lower: Double, to upper: Double, total: Double
    ) {
        let weight = ReliabilityDiagram.sum(forecasts.map(\.weight))
        let ordered = forecasts.sorted { ($0.cluster, $0.weight) < ($1.cluster, $1.weight) }
        let variance = ClusterVariance(ordered.lazy.map { ($0.cluster, $0.weight, $0.happened) })
        guard let rate = variance.rate,
            let interval = Proportion.wilsonInterval(
                rate: rate, trials: variance.effectiveTrials, clusters: Double(variance.clusters))
        else { return nil }
        range = Interval(lower: lower, upper: upper)
        count = forecasts.count
        share = weight / total
        stated = ReliabilityDiagram.sum(forecasts.map { $0.weight * $0.probability }) / weight
        observed = rate
        self.interval = interval
    }
}
