import Foundation

/// The ratio of two sums over the same trials, for other recordings.
package struct ClusteredRatio: Hashable, Sendable {
    /// The first sum over the second; nil where the second is 0.
    package let value: Double?
    private let clusters: Int
    /// Of the logarithm; nil where it is not known.
    private let standardError: Double?

    /// Sums pairs of values of at least 0.
    ///
    /// The variance is that of the ratio estimator over clusters: W. G. Cochran, "Sampling Techniques", 3rd edition, 1977,
    /// section 6.4.
    package init(_ pairs: some Sequence<(cluster: String, first: Double, second: Double)>) {
        let pairs = Array(pairs)
        let firsts = ClusterTotals(pairs.map { ($0.cluster, $0.first) }).sums
        let seconds = ClusterTotals(pairs.map { ($0.cluster, $0.second) }).sums
        let (first, second) = (firsts.reduce(0, +), seconds.reduce(0, +))
        let m = Double(firsts.count)
        clusters = firsts.count
        value = second > 0 ? first / second : nil
        guard let value, value > 0, m > 1 else {
            standardError = nil
            return
        }
        let squares = zip(firsts, seconds).map { a, b in (a - value * b) * (a - value * b) }
        standardError = (m / (m - 1) * squares.reduce(0, +)).squareRoot() / first
    }

    /// The interval of the ratio, with Student's quantile on the logarithm; nil with fewer than two clusters, and where a sum
    /// is 0.
    package func interval(confidence: Double = 0.95) -> Interval? {
        guard let value, let standardError else { return nil }
        let reach =
            StudentDistribution(degreesOfFreedom: Double(clusters - 1)).quantile((1 + confidence) / 2)
            * standardError
        return Interval(lower: value * exp(-reach), upper: value * exp(reach))
    }
}
