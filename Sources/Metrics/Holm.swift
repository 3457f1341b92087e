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

    /// The same for discrete tests: those that could never be significant do not count.
    ///
    /// `least` has the least probability that each test can give. Tests take part whose least probability is at most
    /// α / K, where α is the significance and K is the least number that at most K tests reach. The others cannot be
    /// significant, and are nil.
    ///
    /// R. E. Tarone, "A modified Bonferroni method for discrete data", Biometrics 46(2), 1990.
    package static func adjusted(
        _ probabilities: [Double], least: [Double], significance: Double
    ) -> [Double?] {
        var count = 1
        while least.count(where: { $0 <= significance / Double(count) }) > count { count += 1 }
        let tested = least.indices.filter { least[$0] <= significance / Double(count) }
        var adjusted = [Double?](repeating: nil, count: probabilities.count)
        for (index, probability) in zip(tested, Self.adjusted(tested.map { probabilities[$0] })) {
            adjusted[index] = probability
        }
        return adjusted
    }
}
