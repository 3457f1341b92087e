import Foundation

/// The upper tail of a sample of scores, by which quantiles beyond the sample are guessed.
///
/// What exceeds a high level follows a generalized Pareto distribution (J. Pickands, Annals of
/// Statistics 3(1), 1975). It is fitted by L-moments: Hosking and Wallis, "Parameter and quantile
/// estimation for the generalized Pareto distribution", Technometrics 29(3), 1987. The shape is
/// held between 0, the exponential tail, and ½: a lighter tail would say that no wrong score can
/// ever exceed some end, which chance matches in a larger catalog refute.
package struct ScoreTail: Hashable {
    /// The score above which the tail is fitted.
    package let level: Double
    /// The share of all trials that lie above ``level``.
    package let share: Double
    /// The scale σ of the excesses, in units of the score; above 0.
    package let scale: Double
    /// The shape ξ of the excesses, 0…½.
    package let shape: Double

    /// The tail is a tenth of the trials, as long as that are this many.
    package static let fewestExcesses = 20

    /// Fits the tail of scores in falling order, each with how often it counts.
    ///
    /// - Parameters:
    ///   - scores: the scores of the trials that have one.
    ///   - total: how many trials there are, those without a score included.
    /// - Returns: nil when too few lie above the level or all of these are alike.
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
        // Unbiased sample moments b₀ and b₁ of the excesses; the rank counts from 0 upwards.
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
        // The mean of the excesses, σ / (1 − ξ), is kept where the shape is not the fitted one.
        scale = mean * (1 - shape)
    }

    /// The score that a share `p` of trials exceeds; `p` must be above 0 and at most ``share``.
    package func score(exceededBy p: Double) -> Double {
        let ratio = log(share / p)
        return level + scale * (shape > 0 ? expm1(shape * ratio) / shape : ratio)
    }
}
