import Foundation

extension Proportion {
    /// The rate that is not exceeded, with one-sided confidence; nil without trials.
    ///
    /// The largest rate p at which so few successes, or fewer, still have a probability of
    /// 1 − confidence. Without successes that is 1 − (1 − confidence)^(1/n), about 3/n at 95 %: the
    /// rule of three (Hanley and Lippman-Hand, JAMA 249(13), 1983). It takes trials as independent.
    ///
    /// C. J. Clopper and E. S. Pearson, Biometrika 26(4), 1934.
    ///
    /// - Parameter confidence: the wanted coverage, above 0 and below 1.
    public func exactUpperBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard trials > 0 else { return nil }
        if successes == trials { return 1 }
        if successes == 0 { return -expm1(log1p(-confidence) / Double(trials)) }
        var (low, high) = (Double(successes) / Double(trials), 1.0)
        // Bisection to the last bit; the probability falls as p rises.
        while true {
            let middle = (low + high) / 2
            if middle <= low || middle >= high { return middle }
            if probabilityOfAtMostSuccesses(at: middle) > 1 - confidence {
                low = middle
            } else {
                high = middle
            }
        }
    }

    /// The probability of at most ``successes`` in ``trials`` at the rate `p`, 0 < p < 1.
    ///
    /// Terms from the largest downwards, so that nothing underflows before it stops to matter.
    private func probabilityOfAtMostSuccesses(at p: Double) -> Double {
        let n = Double(trials)
        let k = Double(successes)
        let logarithm = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p)
        var term = exp(logarithm)
        var sum = 0.0
        var count = k
        while term > sum * 1e-18 {
            sum += term
            if count == 0 { break }
            term *= count / (n - count + 1) * (1 - p) / p
            count -= 1
        }
        return min(1, sum)
    }
}
