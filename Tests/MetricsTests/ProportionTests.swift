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

@Test func theProbabilityOfALimitIsWhereItsIntervalEnds() throws {
    for proportion in [
        Proportion(160, of: 200), Proportion(0, of: 30),
        Proportion(clustered: (0..<200).map { ("\($0 % 15)", $0 % 15 != 3) }),
    ] {
        for limit in [0.5, 0.7, 0.95] where limit != proportion.rate {
            let probability = proportion.probability(of: limit)
            // The least that is told apart from 0 is e⁻³⁰.
            guard probability > 1e-12 else { continue }
            let wider = try #require(proportion.wilsonInterval(confidence: 1 - probability * 0.999))
            let narrower = try #require(
                proportion.wilsonInterval(confidence: 1 - min(0.9999, probability * 1.001)))
            #expect(
                wider.contains(limit) && !narrower.contains(limit), "\(proportion) \(limit) \(probability)")
        }
    }
    // The score test of 160 of 200 against 0.9: z = 0.1 / √(0.9 · 0.1 / 200).
    let z = 0.1 / (0.9 * 0.1 / 200).squareRoot()
    #expect(
        abs(Proportion(160, of: 200).probability(of: 0.9) / (2 * NormalDistribution.cumulative(-z)) - 1)
            < 1e-6)
    #expect(Proportion(3, of: 4).probability(of: 0.75) == 1 && Proportion(0, of: 0).probability(of: 0.5) == 1)
}
