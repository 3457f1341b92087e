/// A test of whether clustered paired differences differ from 0.
///
/// Without an effect, both signs of the sum of a cluster's differences are equally likely. The probability is the
/// share of all combinations of signs whose total is at least as far from 0 as the observed one. The test is
/// two-sided and keeps its level for any distribution that is symmetric about 0.
///
/// R. A. Fisher, "The Design of Experiments", 1935, section 21.
/// Whole clusters: Winkler and others, "Permutation inference for the general linear model", NeuroImage 92, 2014.
package struct SignFlipTest: Codable, Hashable, Sendable {
    /// The mean of all differences; 0 without any.
    package let mean: Double
    package let clusters: Int
    /// The number of clusters whose differences do not sum to 0.
    package let changedClusters: Int
    /// The two-sided probability; 1 if nothing differs.
    package let probability: Double

    /// The most changed clusters for which all combinations of signs are counted.
    package static let mostEnumerated = 16

    /// Tests finite differences in any order.
    ///
    /// With more than 16 changed clusters it draws `permutations` combinations of signs. The probability is then
    /// (1 + hits) / (1 + permutations), which keeps the level: Phipson and Smyth, Statistical Applications in
    /// Genetics and Molecular Biology 9(1), 2010.
    package init(
        _ differences: some Sequence<(cluster: String, difference: Double)>, permutations: Int = 9999,
        seed: UInt64
    ) {
        let totals = ClusterTotals(differences.lazy.map { ($0.cluster, $0.difference) })
        let changes = totals.sums.filter { $0 != 0 }
        let total = changes.reduce(0, +)
        // Another order of summation changes the last digits, and a tie counts as a hit.
        let least = abs(total) - 1e-12 * changes.reduce(0) { $0 + abs($1) }
        clusters = totals.sums.count
        changedClusters = changes.count
        mean = totals.count > 0 ? total / Double(totals.count) : 0
        if changes.isEmpty {
            probability = 1
        } else if changes.count <= Self.mostEnumerated {
            let ways = UInt64(1) << UInt64(changes.count)
            let hits = (0..<ways).count { way in abs(Self.total(of: changes) { _ in way }) >= least }
            probability = Double(hits) / Double(ways)
        } else {
            let hits = (0..<permutations).count { permutation in
                let random = CountedRandom(seed: seed, draw: permutation)
                return abs(Self.total(of: changes, signs: random.bits(at:))) >= least
            }
            probability = Double(1 + hits) / Double(1 + permutations)
        }
    }

    /// The sum of `values` with the signs of the bits, 64 from each call of `signs`.
    private static func total(of values: [Double], signs: (Int) -> UInt64) -> Double {
        var total = 0.0
        var bits: UInt64 = 0
        for (index, value) in values.enumerated() {
            if index.isMultiple(of: 64) { bits = signs(index / 64) }
            total += bits & 1 == 0 ? value : -value
            bits >>= 1
        }
        return total
    }
}
