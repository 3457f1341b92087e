/// The difference in recall at zero false accepts of two runs of the same trials.
///
/// The threshold of a run is the highest wrong score of all its trials. One query can move it, and many positives with
/// it, so positives are no independent evidence. The bootstrap therefore draws whole clusters and finds both thresholds
/// again in each resample. One cluster is missing in 37 % of the resamples. So a single recording that sets a threshold
/// gives no significant difference.
package struct ZeroFalseAcceptDifference: Codable, Hashable, Sendable {
    /// The scores of one trial in both runs.
    package struct Pair: Sendable {
        package let cluster: String
        package let before: ScoredTrial
        package let after: ScoredTrial
        /// Whether it is a positive of the set whose recall is compared; all pairs set the thresholds.
        package let isCounted: Bool

        package init(cluster: String, before: ScoredTrial, after: ScoredTrial, isCounted: Bool = true) {
            self.cluster = cluster
            self.before = before
            self.after = after
            self.isCounted = isCounted && after.isPositive
        }
    }

    /// The counted positives.
    package let trials: Int
    /// Positives that only the second run finds above its own highest wrong score.
    package let gained: Int
    /// Positives that only the first run finds.
    package let lost: Int
    /// The interval of the difference; nil with fewer than 2 clusters or without positives.
    ///
    /// It is the wider of two: percentiles of the resamples, and that of the pairs at the two thresholds of the runs.
    package let interval: Interval?
    /// The two-sided probability of no difference; 1 with fewer than 2 clusters.
    package let probability: Double
    /// The number of clusters of all pairs.
    package let clusters: Int

    /// Compares runs; a seed gives the same result on any number of threads.
    package init(_ pairs: [Pair], confidence: Double = 0.95, resamples: Int = 1999, seed: UInt64) {
        let groups = Dictionary(grouping: pairs, by: \.cluster).sorted { $0.key < $1.key }
            .map { Cluster($0.value) }
        let highest = Self.highest(groups, weights: nil)
        let hits = pairs.filter(\.isCounted).map {
            (
                cluster: $0.cluster, before: $0.before.isRight(above: highest.before),
                after: $0.after.isRight(above: highest.after)
            )
        }
        let change = PairedDifference(hits)
        trials = change.trials
        gained = change.gained
        lost = change.lost
        clusters = groups.count
        let bootstrap = ClusterBootstrap(confidence: confidence, resamples: resamples, seed: seed)
        let drawn =
            groups.count < 2
            ? []
            : bootstrap.replicates(clusters: groups.count) { Self.difference(groups, weights: $0) }.sorted()
        guard let own = change.interval(confidence: confidence),
            let lower = Percentile.ofSorted(drawn, at: (1 - confidence) / 2),
            let upper = Percentile.ofSorted(drawn, at: (1 + confidence) / 2)
        else {
            interval = nil
            probability = 1
            return
        }
        interval = Interval(lower: min(lower, own.lower), upper: max(upper, own.upper))
        let rarer = min(drawn.count { $0 <= 0 }, drawn.count { $0 >= 0 })
        probability = min(1, 2 * Double(1 + rarer) / Double(1 + drawn.count))
    }

    /// After minus before, −1…1; nil without positives.
    package var difference: Double? { trials > 0 ? Double(gained - lost) / Double(trials) : nil }

    /// The scores of one cluster; −∞ where there is none.
    private struct Cluster {
        let highest: (before: Double, after: Double)
        let right: [(before: Double, after: Double)]

        init(_ pairs: [Pair]) {
            func highest(_ score: (Pair) -> Double?) -> Double { pairs.compactMap(score).max() ?? -.infinity }
            self.highest = (highest(\.before.wrongScore), highest(\.after.wrongScore))
            right = pairs.filter(\.isCounted).map {
                ($0.before.rightScore ?? -.infinity, $0.after.rightScore ?? -.infinity)
            }
        }
    }

    private static func highest(_ clusters: [Cluster], weights: [Int]?) -> (before: Double, after: Double) {
        var highest = (before: -Double.infinity, after: -Double.infinity)
        for (index, cluster) in clusters.enumerated() where weights.map({ $0[index] > 0 }) ?? true {
            highest.before = max(highest.before, cluster.highest.before)
            highest.after = max(highest.after, cluster.highest.after)
        }
        return highest
    }

    /// The difference in a resample; nil without positives.
    private static func difference(_ clusters: [Cluster], weights: [Int]) -> Double? {
        let highest = highest(clusters, weights: weights)
        var (count, change) = (0, 0)
        for (index, cluster) in clusters.enumerated() where weights[index] > 0 {
            var own = 0
            for right in cluster.right {
                own += (right.after > highest.after ? 1 : 0) - (right.before > highest.before ? 1 : 0)
            }
            change += weights[index] * own
            count += weights[index] * cluster.right.count
        }
        return count > 0 ? Double(change) / Double(count) : nil
    }
}

extension ZeroFalseAcceptPoint {
    /// The intervals of the recall of several sets of positives, with the threshold found again in each resample.
    ///
    /// An interval is by bootstrap of clusters, and at least as wide as Wilson's at the threshold of the run. It is nil
    /// for a set without positives.
    ///
    /// - Parameter trials: all trials of the run; each positive belongs to the sets with these numbers.
    package static func intervals(
        of trials: [(cluster: String, scores: ScoredTrial, sets: [Int])], sets: Int,
        _ bootstrap: ClusterBootstrap
    ) -> [Interval?] {
        let groups = Dictionary(grouping: trials, by: \.cluster).sorted { $0.key < $1.key }.map(\.value)
        let highest = groups.map { $0.compactMap(\.scores.wrongScore).max() ?? -.infinity }
        let positives = groups.map { group in
            group.filter(\.scores.isPositive).map { ($0.scores.rightScore ?? -.infinity, $0.sets) }
        }
        let estimates = bootstrap.estimates(clusters: groups.count) { weights in
            var threshold = -Double.infinity
            for (index, weight) in weights.enumerated() where weight > 0 {
                threshold = max(threshold, highest[index])
            }
            var found = [Int](repeating: 0, count: sets)
            var all = found
            for (index, weight) in weights.enumerated() where weight > 0 {
                for (score, own) in positives[index] {
                    for set in own {
                        all[set] += weight
                        if score > threshold { found[set] += weight }
                    }
                }
            }
            return zip(found, all).map { $1 > 0 ? Double($0) / Double($1) : nil }
        }
        let point = trials.compactMap(\.scores.wrongScore).max()
        return estimates.enumerated().map { set, estimate in
            let own = Proportion(
                clustered: trials.filter { $0.scores.isPositive && $0.sets.contains(set) }
                    .map { ($0.cluster, $0.scores.isRight(above: point)) })
            let least = own.wilsonInterval(confidence: bootstrap.confidence)
            guard let estimate, let least else { return least }
            return Interval(
                lower: min(estimate.interval.lower, least.lower),
                upper: max(estimate.interval.upper, least.upper))
        }
    }
}
