/// The difference in recall of two runs of the same trials, each at a threshold that is found on its own wrong answers.
///
/// At zero false accepts the threshold of a run is the highest wrong score of all its trials. At a share of false
/// accepts, it is the score that at most this share of the negatives exceeds. One query can move it, and many
/// positives with it, so positives are no independent evidence. The bootstrap therefore draws whole clusters and
/// finds both thresholds again in each resample. One cluster is missing in 37 % of the resamples. So a single
/// recording that sets a threshold gives no significant difference.
package struct FittedRecallDifference: Codable, Hashable, Sendable {
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
    package var trials: Int { change.trials }
    /// Positives that only the second run finds above its own threshold.
    package var gained: Int { change.gained }
    /// Positives that only the first run finds.
    package var lost: Int { change.lost }
    /// At the two thresholds of the runs.
    private let change: PairedDifference
    /// The interval of the difference; nil with fewer than 2 clusters or without positives.
    ///
    /// It is the wider of two: percentiles of the resamples, and that of the pairs at the two thresholds of the runs.
    package let interval: Interval?
    /// The two-sided probability of no difference; 1 with fewer than 2 clusters.
    package let probability: Double
    /// The number of clusters of all pairs.
    package let clusters: Int

    /// Compares runs; a seed gives the same result on any number of threads.
    ///
    /// - Parameter falseAcceptRate: the share of the negatives that may be accepted. Nil allows no wrong claim.
    package init(
        _ pairs: [Pair], falseAcceptRate: Double? = nil, confidence: Double = 0.95, resamples: Int = 1999,
        seed: UInt64
    ) {
        let groups = Dictionary(grouping: pairs, by: \.cluster).sorted { $0.key < $1.key }.map(\.value)
        let before = FittedRecall(groups.map { $0.map { ($0.before, $0.isCounted) } }, falseAcceptRate)
        let after = FittedRecall(groups.map { $0.map { ($0.after, $0.isCounted) } }, falseAcceptRate)
        let all = [Int](repeating: 1, count: groups.count)
        let (earlier, later) = (before.threshold(all), after.threshold(all))
        let hits = pairs.filter(\.isCounted).map {
            (
                cluster: $0.cluster, before: $0.before.isRight(above: earlier),
                after: $0.after.isRight(above: later)
            )
        }
        change = PairedDifference(hits)
        clusters = groups.count
        let bootstrap = ClusterBootstrap(confidence: confidence, resamples: resamples, seed: seed)
        let drawn =
            groups.count < 2
            ? []
            : bootstrap.replicates(clusters: groups.count) { weights in
                before.recall(weights).flatMap { recall in after.recall(weights).map { $0 - recall } }
            }.sorted()
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
}
