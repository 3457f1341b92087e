import Metrics

/// Percentiles of the time from samples to answers, in milliseconds, as ``Percentile`` defines them.
///
/// A percentile is nil if no whole trial is beyond it: the 99th percentile of 15 trials would be the slowest trial.
public struct LatencySummary: Codable, Hashable, Sendable {
    /// How many trials were measured; at least 1.
    public let count: Int
    /// The mean, which clock ticks do not bias.
    package let mean: Double
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
    /// - Parameter milliseconds: Times in any order; those below 0, not finite or above a day are left out.
    public init?(_ milliseconds: [Double]) {
        let times = milliseconds.filter { $0 >= 0 && $0 < Self.longestMilliseconds }.sorted()
        guard let median = Percentile.ofSorted(times, at: 0.5), let slowest = times.last else { return nil }
        func at(_ fraction: Double, fromTrials least: Int) -> Double? {
            times.count >= least ? Percentile.ofSorted(times, at: fraction) : nil
        }
        count = times.count
        mean = times.reduce(0, +) / Double(times.count)
        self.median = median
        percentile90 = at(0.9, fromTrials: 10)
        percentile95 = at(0.95, fromTrials: 20)
        percentile99 = at(0.99, fromTrials: 100)
        maximum = slowest
    }

    private static let longestMilliseconds = 86_400_000.0
}
