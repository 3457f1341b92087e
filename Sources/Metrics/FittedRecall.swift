/// The recall of one run in resamples of clusters, at a threshold that is found on its own wrong answers each time.
struct FittedRecall {
    /// By falling score, with the number of the cluster.
    private let wrong: [(score: Double, cluster: Int)]
    private let right: [[Double]]
    private let negatives: [Int]
    private let falseAcceptRate: Double

    /// Prepares trials by cluster; recall is over the counted positives, and all trials set thresholds.
    ///
    /// - Parameter rate: the share of the negatives that may be accepted. Nil allows no wrong claim.
    init(_ clusters: [[(scores: ScoredTrial, isCounted: Bool)]], _ rate: Double?) {
        falseAcceptRate = rate ?? 0
        negatives = clusters.map { $0.count { !$0.scores.isPositive } }
        wrong = clusters.enumerated().flatMap { number, trials in
            trials.filter { rate == nil || !$0.scores.isPositive }.compactMap(\.scores.wrongScore)
                .map { (score: $0, cluster: number) }
        }.sorted { $0.score > $1.score }
        right = clusters.map { $0.filter(\.isCounted).map { $0.scores.rightScore ?? -.infinity } }
    }

    /// The highest score that too many wrong claims reach; −∞ where all may be accepted.
    func threshold(_ weights: [Int]) -> Double {
        let allowed = falseAcceptRate * Double(zip(negatives, weights).reduce(0) { $0 + $1.0 * $1.1 })
        var reached = 0
        for claim in wrong {
            reached += weights[claim.cluster]
            if Double(reached) > allowed { return claim.score }
        }
        return -.infinity
    }

    /// Nil without positives.
    func recall(_ weights: [Int]) -> Double? {
        let threshold = threshold(weights)
        var (found, count) = (0, 0)
        for (scores, weight) in zip(right, weights) where weight > 0 {
            found += weight * scores.count { $0 > threshold }
            count += weight * scores.count
        }
        return count > 0 ? Double(found) / Double(count) : nil
    }
}
