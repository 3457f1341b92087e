/// Correction for asking several questions at once.
public enum Holm {
    /// The probabilities so adjusted that all below α may be called significant at a family-wise α.
    ///
    /// With m probabilities in rising order p₁ … pₘ, the i-th becomes max over j ≤ i of (m − j + 1) pⱼ,
    /// at most 1. It holds whatever the dependence among them.
    ///
    /// S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    /// Statistics 6(2), 1979.
    ///
    /// - Parameter probabilities: 0…1 each, in any order.
    /// - Returns: as many, in the order given.
    public static func adjusted(_ probabilities: [Double]) -> [Double] {
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
