import Foundation
import Metrics
import Testing

/// Both sides find the root of the same tail.
private let rootTolerance = 1e-11

@Test func exactPoissonIntervalsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().poisson
    try #require(cases.count >= 20)
    for reference in cases {
        let interval = try #require(
            PoissonRate(reference.events, in: reference.exposure).exactInterval(
                confidence: reference.confidence))
        #expect(agreeRelatively(interval.lower, reference.lower, tolerance: rootTolerance), "\(reference)")
        #expect(agreeRelatively(interval.upper, reference.upper, tolerance: rootTolerance), "\(reference)")
    }
}

@Test func exactPoissonBoundsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().poissonOneSided
    try #require(cases.count >= 20)
    for reference in cases {
        let rate = PoissonRate(reference.events, in: reference.exposure)
        let lower = try #require(rate.exactLowerBound(confidence: reference.confidence))
        let upper = try #require(rate.exactUpperBound(confidence: reference.confidence))
        #expect(agreeRelatively(lower, reference.lower, tolerance: rootTolerance), "\(reference)")
        #expect(agreeRelatively(upper, reference.upper, tolerance: rootTolerance), "\(reference)")
    }
}

@Test func withoutEventsThereIsTheRuleOfThree() throws {
    let none = PoissonRate(0, in: 24)
    #expect(none.rate == 0)
    let bound = try #require(none.exactUpperBound())
    #expect(abs(bound * 24 - 3) < 0.005)
    #expect(none.exactLowerBound() == 0)
    #expect(PoissonRate(0, in: 0).exactInterval() == nil)
    #expect(PoissonRate(0, in: 0).rate == nil)
}

@Test(arguments: [0.3, 2, 11.5, 60])
func exactPoissonIntervalsNeverCoverTheRateLessOften(mean: Double) throws {
    var covered = 0.0
    var probability = exp(-mean)
    for events in 0..<400 {
        if events > 0 { probability *= mean / Double(events) }
        let interval = try #require(PoissonRate(events, in: 1).exactInterval())
        if interval.contains(mean) { covered += probability }
    }
    #expect(covered >= 0.95 - 1e-9 && covered < 0.999)
}
