/// What became of the same trials before and after a change.
///
/// The test is exact for independent pairs. Trials of one recording are not independent:
/// ``SignFlipTest`` stands beside it for those, and the more cautious of the two decides.
public struct PairedComparison: Codable, Hashable, Sendable {
    /// Pairs that succeeded before and after.
    public let both: Int
    /// Pairs that succeeded neither before nor after.
    public let neither: Int
    /// Pairs that succeeded before, and not after.
    public let onlyBefore: Int
    /// Pairs that succeeded after, and not before.
    public let onlyAfter: Int

    /// Counts pairs, each given as whether the trial succeeded before and after.
    public init(_ pairs: some Sequence<(before: Bool, after: Bool)>) {
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

    /// All pairs.
    public var count: Int { both + neither + onlyBefore + onlyAfter }

    /// Whether some pair succeeded on one side only.
    public var isChanged: Bool { onlyBefore + onlyAfter > 0 }

    /// How probable so uneven a split of the pairs that changed is, were either way as likely.
    ///
    /// min(1, 2 · P(X ≤ min(b, c))) with X binomial of b + c draws at ½, where b and c are
    /// ``onlyBefore`` and ``onlyAfter``: two-sided and without correction for continuity. 1 where
    /// nothing changed. Six changes all one way are the fewest that fall below 0.05.
    ///
    /// Q. McNemar, Psychometrika 12(2), 1947, in its exact form.
    public var exactProbability: Double {
        let fewer = min(onlyBefore, onlyAfter)
        return min(1, 2 * BinomialDistribution(trials: onlyBefore + onlyAfter, rate: 0.5).atMost(fewer))
    }
}
