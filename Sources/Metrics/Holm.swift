/// Holm's correction for multiple tests.
package enum Holm {
    /// Adjusts probabilities, so that those below α are significant at a family-wise error rate of α.
    ///
    /// Of m probabilities in rising order p₁ … pₘ, the i-th becomes max over j ≤ i of (m − j + 1) pⱼ,
    /// at most 1. The tests may depend on each other. The result has the order of the argument.
    ///
    /// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    /// Statistics 6(2), 1979.
    package static func adjusted(_ probabilities: [Double]) -> [Double] {
        let rising = probabilities.indices.sorted { probabilities[$0] < probabilities[$1] }
        var adjusted = probabilities
        var largest = 0.0
        for (rank, index) in rising.enumerated() {
            largest = max(largest, min(1, Double(probabilities.count - rank) * probabilities[index]))
            adjusted[index] = largest
        }
        return adjusted
    }
}
