import Foundation

/// The number of successes among independent trials of one rate.
package struct BinomialDistribution: Hashable, Sendable {
    /// At least 0.
    package let trials: Int
    /// The probability of a success, 0…1.
    package let rate: Double

    package init(trials: Int, rate: Double) {
        precondition(trials >= 0 && rate >= 0 && rate <= 1, "\(trials) trials at \(rate)")
        self.trials = trials
        self.rate = rate
    }

    /// The probability of at most `successes`; relative accuracy about 1e-12.
    ///
    /// It is the incomplete beta function I₁₋ₚ(n − k, k + 1): NIST Digital Library of Mathematical
    /// Functions, 8.17.24.
    package func atMost(_ successes: Int) -> Double {
        if successes < 0 { return 0 }
        if successes >= trials { return 1 }
        return IncompleteBeta.regularized(Double(trials - successes), Double(successes) + 1, at: 1 - rate)
    }

    /// The probability of at least `successes`; relative accuracy about 1e-12.
    package func atLeast(_ successes: Int) -> Double {
        if successes <= 0 { return 1 }
        if successes > trials { return 0 }
        return IncompleteBeta.regularized(Double(successes), Double(trials - successes) + 1, at: rate)
    }

    /// The probability of exactly `successes`; relative accuracy about 1e-13.
    package func probability(of successes: Int) -> Double {
        guard 0...trials ~= successes else { return 0 }
        let (n, k) = (Double(trials), Double(successes))
        if rate == 0 || rate == 1 { return k == n * rate ? 1 : 0 }
        if successes == 0 { return exp(n * log1p(-rate)) }
        if successes == trials { return exp(n * log(rate)) }
        return IncompleteBeta.probability(of: k, in: n, at: rate, complement: 1 - rate)
    }
}
