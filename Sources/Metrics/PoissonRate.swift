import Foundation

/// How many events came in a stretch of exposure: false matches in hours of audio.
public struct PoissonRate: Codable, Hashable, Sendable {
    /// The number of events.
    public let events: Int
    /// How long they could have come, in any unit; 0 or more.
    public let exposure: Double

    /// Counts `events` in `exposure`.
    public init(_ events: Int, in exposure: Double) {
        precondition(events >= 0 && exposure >= 0, "\(events) events in \(exposure)")
        self.events = events
        self.exposure = exposure
    }

    /// Events per unit of exposure; nil without exposure.
    public var rate: Double? { exposure > 0 ? Double(events) / exposure : nil }

    /// The rate that is not exceeded, with one-sided confidence; nil without exposure.
    ///
    /// The largest rate at which so few events, or fewer, still have a probability of 1 − confidence:
    /// half the quantile of χ² with 2·events + 2 degrees of freedom, over the exposure. Without events
    /// that is −log(1 − confidence), about 3 at 95 %.
    ///
    /// F. Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28(3–4), 1936.
    ///
    /// - Parameter confidence: above 0 and below 1.
    public func exactUpperBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard exposure > 0 else { return nil }
        if events == 0 { return -log1p(-confidence) / exposure }
        // Far enough that the probability is below any confidence a Double can state.
        let k = Double(events)
        return Bisection.root(between: k, and: k + 40 * k.squareRoot() + 800) { mean in
            PoissonDistribution(mean: mean).atMost(events) > 1 - confidence
        } / exposure
    }

    /// The rate that is reached at least, with one-sided confidence; nil without exposure.
    ///
    /// - Parameter confidence: above 0 and below 1.
    public func exactLowerBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard exposure > 0 else { return nil }
        if events == 0 { return 0 }
        return Bisection.root(between: 0, and: Double(events)) { mean in
            PoissonDistribution(mean: mean).atLeast(events) < 1 - confidence
        } / exposure
    }

    /// The interval that covers the rate at least as often as stated, whatever the rate; nil without
    /// exposure.
    ///
    /// It takes events as independent of each other.
    ///
    /// - Parameter confidence: the least coverage, above 0 and below 1.
    public func exactInterval(confidence: Double = 0.95) -> Interval? {
        guard let lower = exactLowerBound(confidence: (1 + confidence) / 2),
            let upper = exactUpperBound(confidence: (1 + confidence) / 2)
        else { return nil }
        return Interval(lower: lower, upper: upper)
    }
}

/// The number of events that come independently of each other.
struct PoissonDistribution {
    /// The mean, 0 or more.
    let mean: Double

    /// The probability of `count` events or fewer.
    func atMost(_ count: Int) -> Double {
        if count < 0 { return 0 }
        return Double(count) < mean ? sumDown(from: count) : 1 - sumUp(from: count + 1)
    }

    /// The probability of `count` events or more.
    func atLeast(_ count: Int) -> Double {
        if count <= 0 { return 1 }
        return Double(count) > mean ? sumUp(from: count) : 1 - sumDown(from: count - 1)
    }

    /// The probability of exactly `count` events.
    private func probability(of count: Int) -> Double {
        if count == 0 || mean == 0 { return count == 0 ? exp(-mean) : 0 }
        let k = Double(count)
        return exp(-SaddlePoint.stirlingError(k) - SaddlePoint.deviance(k, mean))
            / (2 * .pi * k).squareRoot()
    }

    /// Sums from a count below the mean, where terms fall on the way down.
    private func sumDown(from count: Int) -> Double {
        var term = probability(of: count)
        var sum = term
        for k in stride(from: count, to: 0, by: -1) {
            term *= Double(k) / mean
            if sum + term == sum { break }
            sum += term
        }
        return sum
    }

    /// Sums from a count above the mean, where terms fall on the way up.
    private func sumUp(from count: Int) -> Double {
        var term = probability(of: count)
        var sum = term
        var k = Double(count)
        while true {
            k += 1
            term *= mean / k
            if sum + term == sum { return sum }
            sum += term
        }
    }
}
