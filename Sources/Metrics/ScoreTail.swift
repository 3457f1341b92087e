import Foundation

/// The upper tail of a sample of scores, for quantiles beyond the sample.
///
/// Excesses over a high level follow a generalized Pareto distribution: J. Pickands, Annals of Statistics 3(1), 1975.
/// The fit is by L-moments: Hosking and Wallis, "Parameter and quantile estimation for the generalized Pareto
/// distribution", Technometrics 29(3), 1987.
/// The shape is kept between 0, the exponential tail, and ½. A negative shape would mean an upper limit of wrong
/// scores, which chance matches in a larger catalog exceed.
package struct ScoreTail: Hashable {
    /// The score at which the tail begins.
    package let level: Double
    /// The share of all trials above ``level``.
    package let share: Double
    /// The scale σ of the excesses, in units of the score; above 0.
    package let scale: Double
    /// The shape ξ of the excesses, 0…½.
    package let shape: Double

    /// The tail is a tenth of the trials, but at least this many.
    private static let fewestExcesses = 20

    /// Fits weighted scores in falling order; nil if too few are above the level or all of them are equal.
    ///
    /// `total` also counts the trials without a score.
    package init?(falling scores: some Sequence<(score: Double, weight: Int)>, total: Int) {
        let wanted = max(Self.fewestExcesses, total / 10)
        var excesses: [(score: Double, weight: Int)] = []
        var count = 0
        var next: Double?
        for (score, weight) in scores where weight > 0 {
            let used = min(weight, wanted - count)
            if used > 0 { excesses.append((score, used)) }
            count += used
            if used < weight {
                next = score
                break
            }
        }
        guard let level = next, level.isFinite, let most = excesses.first?.score, most.isFinite else {
            return nil
        }
        let n = Double(count)
        // Unbiased sample moments b₀ and b₁ of the excesses; ranks start at 0.
        var (b0, b1, rank) = (0.0, 0.0, 0.0)
        for (score, weight) in excesses.reversed() {
            let w = Double(weight)
            b0 += w * (score - level) / n
            b1 += (w * rank + w * (w - 1) / 2) / (n - 1) * (score - level) / n
            rank += w
        }
        let (mean, spread) = (b0, 2 * b1 - b0)
        guard mean > 0, spread > 0 else { return nil }
        self.level = level
        share = n / Double(total)
        shape = min(max(2 - mean / spread, 0), 0.5)
        // Keeps the mean of the excesses, σ / (1 − ξ), if the shape was cut.
        scale = mean * (1 - shape)
    }

    /// The score that a share `p` of trials exceeds; `p` is above 0 and at most ``share``.
    package func score(exceededBy p: Double) -> Double {
        let ratio = log(share / p)
        return level + scale * (shape > 0 ? expm1(shape * ratio) / shape : ratio)
    }
}
