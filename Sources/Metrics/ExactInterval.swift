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
        guard let rate else { return nil }
        if successes == trials { return 1 }
        if successes == 0 { return -expm1(log1p(-confidence) / Double(trials)) }
        return Bisection.root(between: rate, and: 1) { p in
            BinomialDistribution(trials: trials, rate: p).atMost(successes) > 1 - confidence
        }
    }

    /// The rate that is reached at least, with one-sided confidence; nil without trials.
    ///
    /// The smallest rate at which so many successes, or more, still have a probability of
    /// 1 − confidence; the counterpart of ``exactUpperBound(confidence:)``.
    public func exactLowerBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard let rate else { return nil }
        if successes == 0 { return 0 }
        if successes == trials { return exp(log1p(-confidence) / Double(trials)) }
        return Bisection.root(between: 0, and: rate) { p in
            BinomialDistribution(trials: trials, rate: p).atLeast(successes) < 1 - confidence
        }
    }

    /// The interval that covers the rate at least as often as stated, whatever the rate; nil without trials.
    ///
    /// Wider than ``wilsonInterval(confidence:)``, which covers it as often as stated on the average.
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
