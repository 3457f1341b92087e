import Foundation

extension Proportion {
    /// The one-sided upper confidence bound of the rate; nil without trials.
    ///
    /// It is the largest rate at which this number of successes, or fewer, has a probability of 1 − confidence.
    /// Without successes it is 1 − (1 − confidence)^(1/n), about 3/n at 95 %. That is the rule of three: Hanley and
    /// Lippman-Hand, JAMA 249(13), 1983. It takes trials as independent.
    ///
    /// C. J. Clopper and E. S. Pearson, Biometrika 26(4), 1934.
    ///
    /// - Parameter confidence: the wanted coverage, above 0 and below 1.
    public func exactUpperBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard let rate else { return nil }
        if successes == trials { return 1 }
        if successes == 0 { return -expm1(log1p(-confidence) / Double(trials)) }
        return Bisection.root(between: rate, and: 1) { p in
            BinomialDistribution(trials: trials, rate: p).atMost(successes) > 1 - confidence
        }
    }

    /// The one-sided lower confidence bound of the rate, as ``exactUpperBound(confidence:)``; nil without trials.
    public func exactLowerBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard let rate else { return nil }
        if successes == 0 { return 0 }
        if successes == trials { return exp(log1p(-confidence) / Double(trials)) }
        return Bisection.root(between: 0, and: rate) { p in
            BinomialDistribution(trials: trials, rate: p).atLeast(successes) < 1 - confidence
        }
    }

    /// The interval whose coverage is at least as stated at every rate; nil without trials.
    ///
    /// It is wider than ``wilsonInterval(confidence:)``, whose coverage is as stated on average.
    /// It takes trials as independent.
    ///
    /// C. J. Clopper and E. S. Pearson, Biometrika 26(4), 1934.
    ///
    /// - Parameter confidence: the least coverage, above 0 and below 1.
    public func exactInterval(confidence: Double = 0.95) -> Interval? {
        guard let lower = exactLowerBound(confidence: (1 + confidence) / 2),
            let upper = exactUpperBound(confidence: (1 + confidence) / 2)
        else { return nil }
        return Interval(lower: lower, upper: upper)
    }
}
