/// The successes of the same trials before and after a change.
///
/// The test is exact for independent pairs. Trials of one recording are not independent. For those, use
/// ``SignFlipTest`` as well and take the more cautious of the two.
package struct PairedComparison: Codable, Hashable, Sendable {
    package let both: Int
    package let neither: Int
    /// Pairs that succeeded only before.
    package let onlyBefore: Int
    /// Pairs that succeeded only after.
    package let onlyAfter: Int

    package init(_ pairs: some Sequence<(before: Bool, after: Bool)>) {
        var counts = (both: 0, neither: 0, onlyBefore: 0, onlyAfter: 0)
        for pair in pairs {
            switch (pair.before, pair.after) {
            case (true, true): counts.both += 1
            case (false, false): counts.neither += 1
            case (true, false): counts.onlyBefore += 1
            case (false, true): counts.onlyAfter += 1
            }
        }
        (both, neither, onlyBefore, onlyAfter) = counts
    }

    package var count: Int { both + neither + onlyBefore + onlyAfter }

    /// Whether some pair succeeded on one side only.
    package var isChanged: Bool { onlyBefore + onlyAfter > 0 }

    /// The two-sided probability of a split at least as uneven if both directions were equally likely.
    ///
    /// It is min(1, 2 · P(X ≤ min(b, c))), where X is binomial of b + c draws at ½, and b and c are
    /// ``onlyBefore`` and ``onlyAfter``. There is no correction for continuity. It is 1 if nothing changed.
    /// At least six changes, all in one direction, are needed for less than 0.05.
    ///
    /// Q. McNemar, Psychometrika 12(2), 1947, in its exact form.
    package var exactProbability: Double {
        let fewer = min(onlyBefore, onlyAfter)
        return min(1, 2 * BinomialDistribution(trials: onlyBefore + onlyAfter, rate: 0.5).atMost(fewer))
    }
}

/// The two paired tests of a change, for other recordings, of which the more cautious counts.
package struct PairedEvidence: Sendable {
    /// Exact McNemar, which takes trials for independent.
    package let mcNemar: Double
    package let signFlip: Double

    package var probability: Double { max(mcNemar, signFlip) }

    package init(_ pairs: [(cluster: String, before: Bool, after: Bool)], seed: UInt64) {
        mcNemar = PairedComparison(pairs.map { ($0.before, $0.after) }).exactProbability
        signFlip =
            SignFlipTest(
                pairs.map { ($0.cluster, ($0.after ? 1.0 : 0) - ($0.before ? 1.0 : 0)) }, seed: seed
            ).probability
    }
}
