import Histogram

/// Percentiles of the time from samples to answers, in milliseconds.
///
/// From an HdrHistogram of nanoseconds with three significant digits (G. Tene,
/// hdrhistogram.org): a percentile is the smallest recorded value, to 0.1 %, that at least that
/// share of values does not exceed. It is nil where no whole trial lies beyond it: the 99th
/// percentile of 15 trials would be but another name for the slowest.
public struct LatencySummary: Codable, Hashable, Sendable {
    /// How many trials were measured; at least 1.
    public let count: Int
    /// Half of the trials took no longer.
    public let median: Double
    /// 90 % of the trials took no longer; nil below 10 trials.
    public let percentile90: Double?
    /// 95 % of the trials took no longer; nil below 20 trials.
    public let percentile95: Double?
    /// 99 % of the trials took no longer; nil below 100 trials.
    public let percentile99: Double?
    /// The slowest trial.
    public let maximum: Double

    /// Sums up measured times; nil when there are none.
    ///
    /// - Parameter milliseconds: times in any order; those below 0 or not finite are left out.
    public init?(_ milliseconds: [Double]) {
        guard !milliseconds.isEmpty else { return nil }
        var histogram = Histogram<UInt32>(numberOfSignificantValueDigits: .three)
        histogram.autoResize = true
        for value in milliseconds where value >= 0 && value < Self.longestMilliseconds {
            histogram.record(UInt64((value * 1e6).rounded()))
        }
        guard histogram.totalCount > 0 else { return nil }
        func at(_ percentile: Double) -> Double { Double(histogram.valueAtPercentile(percentile)) / 1e6 }
        let trials = Int(histogram.totalCount)
        count = trials
        median = at(50)
        percentile90 = trials >= 10 ? at(90) : nil
        percentile95 = trials >= 20 ? at(95) : nil
        percentile99 = trials >= 100 ? at(99) : nil
        maximum = at(100)
    }

    /// A day; longer times are broken clocks, and the histogram's memory grows with its range.
    private static let longestMilliseconds = 86_400_000.0
}
