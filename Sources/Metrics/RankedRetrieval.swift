/// Figures of ranked answers, one rank of the right answer for each query, from 1; nil where it is not answered.
package enum RankedRetrieval {
    /// The queries whose right answer is among the first `count`.
    package static func hits(_ ranks: [Int?], within count: Int) -> Int {
        ranks.count { rank in rank.map { $0 <= count } ?? false }
    }

    /// The mean of 1/rank, 0 for a query without a right answer; nil without queries.
    ///
    /// E. M. Voorhees, "The TREC-8 question answering track report", 1999.
    package static func meanReciprocalRank(_ ranks: [Int?]) -> Double? {
        guard !ranks.isEmpty else { return nil }
        return ranks.reduce(0) { $0 + ($1.map { 1 / Double($0) } ?? 0) } / Double(ranks.count)
    }
}
