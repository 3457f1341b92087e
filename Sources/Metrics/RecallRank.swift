/// The rank of a contestant by recall over the trials that all contestants share, 1 for the highest.
///
/// Each contestant has the threshold at which it accepts a given share of the negatives. Each draw of clusters finds
/// the thresholds, and with them the ranks, again. Contestants with the same recall share ranks. Each has the best of
/// them, and its interval covers all.
package struct RecallRank: Hashable, Sendable {
    package let rank: Int
    /// The best rank of the interval over draws of clusters.
    package let lower: Int
    /// The worst rank of the interval.
    package let upper: Int

    /// Ranks contestants, in their order; a seed gives the same ranks on any number of threads.
    ///
    /// An end of the interval is the rank that at most (1 − confidence) / 2 of the draws exceed. Without positives, or
    /// with fewer than 2 clusters, draws show nothing, and an interval covers all ranks.
    ///
    /// - Parameters:
    ///   - contestants: the scores of each, over the same trials.
    ///   - falseAcceptRate: the share of the negatives that may be accepted.
    package static func ranks(
        of contestants: [[(cluster: String, scores: ScoredTrial)]], falseAcceptRate: Double,
        _ bootstrap: ClusterBootstrap
    ) -> [RecallRank] {
        let clusters = Set(contestants.joined().map(\.cluster)).sorted()
        let recalls = contestants.map { trials in
            let own = Dictionary(grouping: trials, by: \.cluster)
            return FittedRecall(
                clusters.map { (own[$0] ?? []).map { (scores: $0.scores, isCounted: $0.scores.isPositive) } },
                falseAcceptRate)
        }
        func places(_ weights: [Int]) -> [(best: Int, worst: Int)]? {
            let found = recalls.compactMap { $0.recall(weights) }
            guard found.count == contestants.count else { return nil }
            return found.map { own in
                (best: 1 + found.count { $0 > own }, worst: found.count { $0 >= own })
            }
        }
        let own = places([Int](repeating: 1, count: clusters.count))
        let draws =
            clusters.count < 2 ? [] : bootstrap.draws(clusters: clusters.count, places).compactMap(\.self)
        let tail = Int(Double(draws.count) * (1 - bootstrap.confidence) / 2)
        return contestants.indices.map { number in
            let rank = own?[number].best ?? 1
            guard !draws.isEmpty else {
                return RecallRank(rank: rank, lower: 1, upper: contestants.count)
            }
            let best = draws.map { $0[number].best }.sorted()
            let worst = draws.map { $0[number].worst }.sorted()
            return RecallRank(
                rank: rank, lower: min(rank, best[tail]), upper: max(rank, worst[draws.count - 1 - tail]))
        }
    }
}
