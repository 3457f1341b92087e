/// A summary of signed errors, in the unit of the errors.
public struct ErrorSummary: Codable, Hashable, Sendable {
    /// The number of errors, at least 1.
    public let count: Int
    /// The mean of the signed errors.
    public let bias: Double
    package let meanAbsolute: Double
    package let medianAbsolute: Double
    /// The 95th percentile of the magnitudes, interpolated linearly.
    public let percentile95Absolute: Double
    package let maximumAbsolute: Double

    /// Summarises finite signed errors (estimate − truth) in any order; nil without errors.
    public init?(_ errors: [Double]) {
        guard !errors.isEmpty else { return nil }
        // Sorted, so that the last digit does not depend on the order of the trials.
        let signed = errors.sorted()
        let magnitudes = errors.map(abs).sorted()
        guard let median = Percentile.ofSorted(magnitudes, at: 0.5),
            let percentile95 = Percentile.ofSorted(magnitudes, at: 0.95), let maximum = magnitudes.last
        else { return nil }
        count = errors.count
        bias = signed.reduce(0, +) / Double(errors.count)
        meanAbsolute = magnitudes.reduce(0, +) / Double(errors.count)
        medianAbsolute = median
        percentile95Absolute = percentile95
        maximumAbsolute = maximum
    }
}
