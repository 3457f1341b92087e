import Metrics
import Studies

/// The distribution of the limits of all queries along one axis.
struct AxisDistribution {
    /// The severity by which a share of the queries is lost.
    struct Quantile {
        let share: Double
        /// The place of the rung; the number of rungs means beyond the worst.
        ///
        /// Nil without queries.
        let rung: Double?
        /// The ends of a 95 % interval; nil with queries of one recording only.
        let interval: Interval?
    }

    let axis: FrontierAxis
    let limits: [FrontierResult.Limit]
    /// For each rung the share of queries that are not lost for good there.
    let found: [Proportion]
    let quantiles: [Quantile]
    let runs: Int
    let gridRuns: Int
    let holes: Int

    static let shares = [0.1, 0.5, 0.9]

    init(axis: FrontierAxis, limits: [FrontierResult.Limit], seed: UInt64) {
        self.axis = axis
        self.limits = limits
        let rungs = axis.ladder.rungs.count
        found = (0..<rungs).map { rung in
            Proportion(
                clustered: limits.map { ($0.cluster, ($0.finding.firstLost ?? rungs) > rung) })
        }
        quantiles = Self.quantiles(limits, rungs: rungs, seed: seed)
        runs = limits.reduce(0) { $0 + $1.finding.answers.count }
        gridRuns = limits.reduce(0) { $0 + $1.finding.rungs }
        holes = limits.reduce(0) { $0 + $1.finding.holes.count }
    }

    func count(_ status: FrontierFinding.Status) -> Int { limits.count { $0.finding.status == status } }

    /// The label of a rung; `beyond` that of the worst where no rung loses the query.
    func label(_ rung: Double?) -> String {
        guard let rung else { return NumberText.missing }
        let rungs = axis.ladder.rungs
        return Int(rung) < rungs.count
            ? NumberText.severity(rungs[Int(rung)].label)
            : "beyond \(NumberText.severity(rungs[rungs.count - 1].label))"
    }

    /// Order statistics of the rungs from which queries are lost; intervals by bootstrap of recordings.
    private static func quantiles(_ limits: [FrontierResult.Limit], rungs: Int, seed: UInt64) -> [Quantile] {
        let clusters = Dictionary(grouping: limits, by: \.cluster).sorted { $0.key < $1.key }
            .map { $0.value.map { $0.finding.firstLost ?? rungs } }
        func statistics(_ weights: [Int]) -> [Double?] {
            var counts = [Int](repeating: 0, count: rungs + 1)
            for (cluster, weight) in zip(clusters, weights) where weight > 0 {
                for rung in cluster { counts[rung] += weight }
            }
            let total = counts.reduce(0, +)
            return shares.map { share in
                var lost = 0
                return counts.indices.first { rung in
                    lost += counts[rung]
                    return total > 0 && Double(lost) >= share * Double(total)
                }.map(Double.init)
            }
        }
        var bootstrap = ClusterBootstrap(resamples: 999, seed: seed)
        bootstrap.isAccelerated = false
        let estimates = bootstrap.estimates(clusters: clusters.count, statistics: statistics)
        let values = statistics(clusters.map { _ in 1 })
        return zip(shares.indices, values).map { place, value in
            let interval = estimates.isEmpty ? nil : estimates[place]?.interval
            return Quantile(
                share: shares[place], rung: value,
                interval: interval.map {
                    Interval(lower: $0.lower.rounded(.down), upper: $0.upper.rounded(.up))
                })
        }
    }
}
