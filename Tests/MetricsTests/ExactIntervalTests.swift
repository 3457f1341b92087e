import Metrics
import Testing

/// Both sides find the root of the same tail, whose slope can be small.
private let rootTolerance = 1e-11

@Test func exactIntervalsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().exact
    try #require(cases.count >= 15)
    for reference in cases {
        let interval = try #require(
            Proportion(reference.successes, of: reference.trials)
                .exactInterval(confidence: reference.confidence))
        #expect(agreeRelatively(interval.lower, reference.lower, tolerance: rootTolerance), "\(reference)")
        #expect(agreeRelatively(interval.upper, reference.upper, tolerance: rootTolerance), "\(reference)")
    }
}

@Test func exactBoundsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().oneSided
    try #require(cases.count >= 15)
    for reference in cases {
        let proportion = Proportion(reference.successes, of: reference.trials)
        let lower = try #require(proportion.exactLowerBound(confidence: reference.confidence))
        let upper = try #require(proportion.exactUpperBound(confidence: reference.confidence))
        #expect(agreeRelatively(lower, reference.lower, tolerance: rootTolerance), "\(reference)")
        #expect(agreeRelatively(upper, reference.upper, tolerance: rootTolerance), "\(reference)")
    }
}

@Test func theRuleOfThree() throws {
    let bound = try #require(Proportion(0, of: 10_000).exactUpperBound())
    #expect(abs(bound - 3e-4) < 1e-6)
    #expect(Proportion(0, of: 0).exactUpperBound() == nil)
    #expect(Proportion(0, of: 0).exactInterval() == nil)
    #expect(Proportion(5, of: 5).exactUpperBound() == 1)
    #expect(Proportion(0, of: 5).exactLowerBound() == 0)
}

/// The probability that an interval for `trials` covers the rate.
private func coverage(of rate: Double, trials: Int, intervals: [Interval]) -> Double {
    let distribution = BinomialDistribution(trials: trials, rate: rate)
    // Intervals rise with the successes, so those that cover the rate are adjacent.
    let first = intervals.firstIndex { $0.upper >= rate } ?? trials
    let last = intervals.lastIndex { $0.lower <= rate } ?? 0
    return distribution.atMost(last) - distribution.atMost(first - 1)
}

private func meanCoverage(trials: Int, interval: (Proportion) -> Interval?) throws -> (
    mean: Double, least: Double
) {
    let intervals = try (0...trials).map { try #require(interval(Proportion($0, of: trials))) }
    let shares = (0...490).map {
        coverage(of: 0.5 + 0.001 * Double($0), trials: trials, intervals: intervals)
    }
    return (shares.reduce(0, +) / Double(shares.count), shares.min() ?? 0)
}

@Test(arguments: [40, 200, 2000])
func wilsonCoversTheRateAsOftenAsItSays(trials: Int) throws {
    let coverage = try meanCoverage(trials: trials) { $0.wilsonInterval() }
    #expect((0.93...0.97).contains(coverage.mean), "\(coverage)")
}

@Test(arguments: [40, 200])
func exactIntervalsNeverCoverTheRateLessOften(trials: Int) throws {
    let coverage = try meanCoverage(trials: trials) { $0.exactInterval() }
    #expect(coverage.least >= 0.95 - 1e-9, "\(coverage)")
    #expect(coverage.mean < 0.985, "\(coverage)")
}
