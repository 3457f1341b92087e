import Foundation

/// The number of events in an exposure, such as false matches in hours of audio.
package struct PoissonRate: Codable, Hashable, Sendable {
    package let events: Int
    /// The exposure in any unit, at least 0.
    package let exposure: Double

    package init(_ events: Int, in exposure: Double) {
        precondition(events >= 0 && exposure >= 0, "\(events) events in \(exposure)")
        self.events = events
        self.exposure = exposure
    }

    /// Events per unit of exposure; nil without exposure.
    package var rate: Double? { exposure > 0 ? Double(events) / exposure : nil }

    /// The one-sided upper confidence bound of the rate; nil without exposure.
    ///
    /// It is the largest rate at which this number of events, or fewer, has a probability of 1 − confidence.
    /// That is half the quantile of χ² with 2·events + 2 degrees of freedom, over the exposure. Without events,
    /// it is −log(1 − confidence) over the exposure, about 3 at 95 %.
    ///
    /// F. Garwood, "Fiducial limits for the Poisson distribution", Biometrika 28(3–4), 1936.
    ///
    /// - Parameter confidence: above 0 and below 1.
    package func exactUpperBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard exposure > 0 else { return nil }
        if events == 0 { return -log1p(-confidence) / exposure }
        // So high that the probability is below any 1 − confidence that a Double can hold.
        let k = Double(events)
        return Bisection.root(between: k, and: k + 40 * k.squareRoot() + 800) { mean in
            PoissonDistribution(mean: mean).atMost(events) > 1 - confidence
        } / exposure
    }

    /// The one-sided lower confidence bound of the rate; nil without exposure.
    package func exactLowerBound(confidence: Double = 0.95) -> Double? {
        precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
        guard exposure > 0 else { return nil }
        if events == 0 { return 0 }
        return Bisection.root(between: 0, and: Double(events)) { mean in
            PoissonDistribution(mean: mean).atLeast(events) < 1 - confidence
        } / exposure
    }

    /// The interval whose coverage is at least as stated at every rate; nil without exposure.
    ///
    /// It takes events as independent.
    ///
    /// - Parameter confidence: the least coverage, above 0 and below 1.
    package func exactInterval(confidence: Double = 0.95) -> Interval? {
        guard let lower = exactLowerBound(confidence: (1 + confidence) / 2),
            let upper = exactUpperBound(confidence: (1 + confidence) / 2)
        else { return nil }
        return Interval(lower: lower, upper: upper)
    }
}

struct PoissonDistribution {
    /// At least 0.
    let mean: Double

    func atMost(_ count: Int) -> Double {
        if count < 0 { return 0 }
        return Double(count) < mean ? sumDown(from: count) : 1 - sumUp(from: count + 1)
    }

    func atLeast(_ count: Int) -> Double {
        if count <= 0 { return 1 }
        return Double(count) > mean ? sumUp(from: count) : 1 - sumDown(from: count - 1)
    }

    private func probability(of count: Int) -> Double {
        if count == 0 || mean == 0 { return count == 0 ? exp(-mean) : 0 }
        let k = Double(count)
        return exp(-SaddlePoint.stirlingError(k) - SaddlePoint.deviance(k, mean)) / (2 * .pi * k).squareRoot()
    }

    /// For a count below the mean, so that the terms decrease.
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

    /// For a count above the mean, so that the terms decrease.
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
