/// Whether paired differences that come in clusters differ from 0.
///
/// Were there no effect, the sum of the differences of each cluster could as well have had the
/// other sign. The probability is the share of all ways to set the signs whose total lies as far
/// from 0 as the one seen, or farther: two-sided, and true to its level for any distribution that
/// is symmetric about 0.
///
/// R. A. Fisher, "The Design of Experiments", 1935, section 21; by whole clusters as in Winkler
/// and others, "Permutation inference for the general linear model", NeuroImage 92, 2014.
public struct SignFlipTest: Codable, Hashable, Sendable {
    /// The mean of the differences, each trial counting alike; 0 without any.
    public let mean: Double
    /// The clusters that the differences come from.
    public let clusters: Int
    /// The clusters whose differences do not sum to 0; only these tell anything.
    public let changedClusters: Int
    /// The two-sided probability; 1 where nothing differs.
    public let probability: Double

    /// Up to this many changed clusters all ways to set the signs are counted.
    public static let mostEnumerated = 16

    /// Tests differences, each given with the name of its cluster.
    ///
    /// - Parameters:
    ///   - differences: finite numbers in any order; the order does not change the result.
    ///   - permutations: how many ways to set the signs are drawn where there are too many to
    ///     count; the probability is then (1 + hits) / (1 + permutations), which keeps the level
    ///     (Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9(1), 2010).
    ///   - seed: names the draws.
    public init(
        _ differences: some Sequence<(cluster: String, difference: Double)>, permutations: Int = 9999,
        seed: UInt64
    ) {
        let totals = ClusterTotals(differences.lazy.map { ($0.cluster, $0.difference) })
        let changes = totals.sums.filter { $0 != 0 }
        let total = changes.reduce(0, +)
        // Sums in another order differ in their last digits, and a tie is as far from 0.
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

    /// The sum of `values`, each with the sign that its bit says; `signs` gives 64 bits at a time.
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
