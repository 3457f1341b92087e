import Metrics
import Testing

/// Only the order of operations differs.
private let formulaTolerance = 1e-12

@Test func wilsonAgreesWithSciPy() throws {
    let cases = try ReferenceValues.load().wilson
    try #require(!cases.isEmpty)
    for reference in cases {
        let interval = try #require(
            Proportion(reference.successes, of: reference.trials)
                .wilsonInterval(confidence: reference.confidence))
        #expect(agree(interval.lower, reference.lower, tolerance: formulaTolerance), "\(reference)")
        #expect(agree(interval.upper, reference.upper, tolerance: formulaTolerance), "\(reference)")
    }
}

/// z² / (n + z²) with the normal quantile of 0.95.
@Test func upperBoundIsOneSided() throws {
    let bound = try #require(Proportion(0, of: 10_000).upperBound())
    #expect(agree(bound, 2.704_811_655_548_5e-4, tolerance: 1e-12))
    #expect(Proportion(0, of: 0).upperBound() == nil)
}

@Test func wilsonContainsTheRateAndStaysWithinZeroAndOne() throws {
    for trials in [1, 2, 5, 40, 1000] {
        var previous = Interval(lower: 0, upper: 0)
        for successes in 0...trials {
            let proportion = Proportion(successes, of: trials)
            let interval = try #require(proportion.wilsonInterval())
            let rate = try #require(proportion.rate)
            #expect(interval.contains(rate))
            #expect(interval.lower >= 0 && interval.upper <= 1)
            #expect(interval.lower >= previous.lower && interval.upper >= previous.upper)
            previous = interval
        }
    }
}

@Test func wilsonIsSymmetric() throws {
    for successes in 0...30 {
        let a = try #require(Proportion(successes, of: 30).wilsonInterval())
        let b = try #require(Proportion(30 - successes, of: 30).wilsonInterval())
        #expect(agree(a.lower, 1 - b.upper, tolerance: 1e-15))
        #expect(agree(a.upper, 1 - b.lower, tolerance: 1e-15))
    }
}

/// A recall of 99 % needs 381 right answers of 381.
@Test func aBoundOfNinetyNinePercentNeedsManyTrials() throws {
    #expect(try #require(Proportion(381, of: 381).wilsonInterval()).lower >= 0.99)
    #expect(try #require(Proportion(380, of: 380).wilsonInterval()).lower < 0.99)
}

@Test func noTrialsHaveNoRate() {
    #expect(Proportion(0, of: 0).rate == nil)
    #expect(Proportion(0, of: 0).wilsonInterval() == nil)
}

@Test func normalQuantilesAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().normalQuantiles
    try #require(!cases.isEmpty)
    for reference in cases {
        let value = NormalDistribution.quantile(reference.probability)
        // A few roundings are added to the algorithm's relative accuracy of about 1e-16.
        #expect(agree(value, reference.value, tolerance: 1e-14), "\(reference) \(value)")
    }
}

@Test func normalQuantilesAtTheEnds() {
    #expect(NormalDistribution.quantile(0) == -.infinity)
    #expect(NormalDistribution.quantile(1) == .infinity)
    #expect(NormalDistribution.quantile(0.5) == 0)
    #expect(NormalDistribution.quantile(-0.1).isNaN)
    #expect(NormalDistribution.quantile(1.1).isNaN)
    #expect(NormalDistribution.quantile(.nan).isNaN)
}
