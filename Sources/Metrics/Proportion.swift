import Foundation

/// The successes of a number of trials, with the effective number of trials.
public struct Proportion: Codable, Hashable, Sendable {
    /// The number of successes, 0…``trials``.
    public let successes: Int
    /// The number of trials.
    public let trials: Int
    /// The number of clusters; the number of trials if they are independent.
    public let clusters: Int
    /// The variance of the rate over that of the same number of independent trials, at least 1.
    public let designEffect: Double
    /// Whether trials come in clusters, so that intervals use Student's t.
    private let isClustered: Bool

    /// Counts successes of independent trials.
    public init(_ successes: Int, of trials: Int) {
        self.init(successes, of: trials, clusters: trials, designEffect: 1, isClustered: false)
    }

    init(
        _ successes: Int, of trials: Int, clusters: Int, designEffect: Double, isClustered: Bool = true
    ) {
        precondition(0 <= successes && successes <= trials, "\(successes) successes of \(trials) trials")
        self.successes = successes
        self.trials = trials
        self.clusters = clusters
        self.designEffect = designEffect
        self.isClustered = isClustered
    }

    /// The number of independent trials with the same variance: ``trials`` / ``designEffect``.
    public var effectiveTrials: Double { Double(trials) / designEffect }

    /// Successes per trial, 0…1; nil without trials.
    public var rate: Double? { trials > 0 ? Double(successes) / Double(trials) : nil }

    /// The score interval of the rate; nil without trials.
    ///
    /// Let z be the quantile of (1 + confidence) / 2, p the rate and n the effective trials.
    /// The ends are (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), without correction for continuity.
    /// They stay within 0…1. The width is not 0 at rates of 0 and 1, unlike that of p ± z·σ.
    ///
    /// The quantile is normal for independent trials. For clusters the square of the quantile is
    /// z²/D + t²(1 − 1/D), where D is the design effect. Only the part of the variance that D adds is an estimate. Here t is
    /// Student's quantile with one degree of freedom less than clusters. A single cluster gives 0…1.
    ///
    /// E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22(158), 1927.
    /// Recommended by Brown, Cai and DasGupta, Statistical Science 16(2), 2001.
    /// With effective trials: Dean and Pagano, Journal of Survey Statistics and Methodology 3(4), 2015.
    /// With Student's quantile: Korn and Graubard, Survey Methodology 24(2), 1998. Weighted by parts of the variance: Cochran,
    /// "Sampling Techniques", 3rd edition, 1977, section 5A.10, after Cochran and Cox.
    ///
    /// - Parameter confidence: the wanted coverage, above 0 and below 1.
    public func wilsonInterval(confidence: Double = 0.95) -> Interval? {
        wilsonInterval(confidence: confidence, times: 1)
    }

    /// The upper end of the one-sided score interval of the rate; nil without trials.
    ///
    /// - Parameter confidence: the wanted coverage, above 0.5 and below 1.
    public func upperBound(confidence: Double = 0.95) -> Double? {
        wilsonInterval(confidence: 2 * confidence - 1)?.upper
    }

    /// The rate that as many trials of other clusters exceed with a probability of at most 1 − `confidence`; nil without trials.
    ///
    /// It is the upper end of a score interval with twice the variance, as the rates of both vary. So it is above
    /// ``upperBound(confidence:)``, which bounds the rate of all clusters that there are.
    ///
    /// K. Krishnamoorthy and J. Peng, "Improved closed-form prediction intervals for binomial and Poisson distributions",
    /// Journal of Statistical Planning and Inference 141(5), 2011.
    ///
    /// - Parameters:
    ///   - confidence: the wanted coverage, above 0.5 and below 1.
    ///   - times: treats these trials and clusters as this multiple of both.
    package func upperBoundOfOthers(confidence: Double = 0.95, times: Double = 1) -> Double? {
        rate.flatMap {
            Self.wilsonInterval(
                rate: $0, trials: effectiveTrials * times / 2,
                clusters: isClustered ? Double(clusters) * times : nil, designEffect: designEffect,
                confidence: 2 * confidence - 1)
        }?.upper
    }

    /// The two-sided probability of `limit` as the true rate: the least significance whose interval excludes it.
    ///
    /// It is 1 if the rate equals the limit, and without trials. It is never below e⁻³⁰.
    package func probability(of limit: Double) -> Double {
        guard let rate, rate != limit else { return 1 }
        func isExcluded(at significance: Double) -> Bool {
            wilsonInterval(confidence: 1 - significance).map { !$0.contains(limit) } ?? false
        }
        // From 1 down to where 1 − significance still differs from 1.
        let logarithm = Bisection.root(between: -30, and: 0) { !isExcluded(at: exp(min($0, -1e-9))) }
        return exp(logarithm)
    }

    /// The same for `times` as many trials and clusters.
    func wilsonInterval(confidence: Double, times: Double) -> Interval? {
        rate.flatMap {
            Self.wilsonInterval(
                rate: $0, trials: effectiveTrials * times,
                clusters: isClustered ? Double(clusters) * times : nil, designEffect: designEffect,
                confidence: confidence)
        }
    }

    /// The same for numbers that need not be whole.
    ///
    /// - Parameters:
    ///   - clusters: Nil for independent trials.
    ///   - designEffect: Infinite where nothing of the variance is known without the clusters.
    static func wilsonInterval(
        rate p: Double, trials n: Double, clusters: Double?, designEffect: Double = .infinity,
        confidence: Double = 0.95
    ) -> Interval? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard n > 0 else { return nil }
        if let clusters, clusters <= 1 { return Interval(lower: 0, upper: 1) }
        let probability = (1 + confidence) / 2
        let normal = NormalDistribution.quantile(probability)
        let z =
            clusters.map { clusters in
                let t = StudentDistribution(degreesOfFreedom: clusters - 1).quantile(probability)
                return (normal * normal / designEffect + t * t * (1 - 1 / designEffect)).squareRoot()
            } ?? normal
        let scale = 1 + z * z / n
        let centre = (p + z * z / (2 * n)) / scale
        let half = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot() / scale
        // Rounding could give 1e-17 instead of 0.
        return Interval(lower: p == 0 ? 0 : centre - half, upper: p == 1 ? 1 : centre + half)
    }
}
