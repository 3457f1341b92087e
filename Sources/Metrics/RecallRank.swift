/// The rank of a contestant by recall over the trials that all contestants share, 1 for the highest.
///
/// Each contestant has the threshold at which it accepts a given share of the negatives. Each draw of clusters finds
/// the thresholds, and with them the recalls, again. Contestants with the same recall share the best of their ranks.
package struct RecallRank: Hashable, Sendable {
    package let rank: Int
    /// The best rank of the interval over draws of clusters.
    package let lower: Int
    /// The worst rank of the interval.
    package let upper: Int

    /// Ranks contestants, in their order; a seed gives the same ranks on any number of threads.
    ///
    /// An interval leaves out the ranks of those that are surely better or worse. These are ahead or behind in all draws
    /// but (1 − confidence) / 2, divided by the number of rivals. Percentiles of the rank itself would contain the true
    /// one of the first and the last contestant in 80 % of simulations.
    ///
    /// Without positives, or with fewer than 2 clusters, draws show nothing. An interval then covers all ranks.
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
        func found(_ weights: [Int]) -> [Double]? {
            let found = recalls.compactMap { $0.recall(weights) }
            return found.count == contestants.count ? found : nil
        }
        let own = found([Int](repeating: 1, count: clusters.count))
        let draws =
            clusters.count < 2 ? [] : bootstrap.draws(clusters: clusters.count, found).compactMap(\.self)
        let rivals = max(1, contestants.count - 1)
        let tail = Int(Double(draws.count) * (1 - bootstrap.confidence) / 2 / Double(rivals))
        func isSurelyAhead(_ one: Int, of other: Int) -> Bool {
            draws.count { $0[one] <= $0[other] } <= tail
        }
        return contestants.indices.map { number in
            let rank = own.map { own in 1 + own.count { $0 > own[number] } } ?? 1
            guard !draws.isEmpty else {
                return RecallRank(rank: rank, lower: 1, upper: contestants.count)
            }
            let better = contestants.indices.count { isSurelyAhead($0, of: number) }
            let worse = contestants.indices.count { isSurelyAhead(number, of: $0) }
            return RecallRank(
                rank: rank, lower: min(rank, 1 + better), upper: max(rank, contestants.count - worse))
        }
    }
}
