/// A strictly increasing, piecewise linear map from one clock to another, both in seconds.
///
/// Outside the knots, the first and the last piece continue. A ``Clip`` has one for time and one for frequency.
package struct TimeMap: Sendable, Equatable {
    package struct Knot: Sendable, Equatable {
        package var from: Double
        package var to: Double

        package init(from: Double, to: Double) {
            self.from = from
            self.to = to
        }
    }

    /// The points, at least two, strictly increasing in both coordinates.
    package let knots: [Knot]

    package init(knots: [Knot]) {
        precondition(knots.count >= 2, "a map needs two knots")
        self.knots = knots
    }

    /// Makes the straight map `to = offsetSeconds + slope * from`; `slope` must be positive.
    package init(offsetSeconds: Double = 0, slope: Double = 1) {
        precondition(slope > 0, "slope \(slope) is not positive")
        self.init(knots: [
            Knot(from: 0, to: offsetSeconds), Knot(from: 1, to: offsetSeconds + slope),
        ])
    }

    package static let identity = TimeMap()

    package func callAsFunction(_ seconds: Double) -> Double {
        var low = 0
        var high = knots.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if knots[middle].from <= seconds { low = middle } else { high = middle }
        }
        let a = knots[low]
        let b = knots[high]
        return a.to + (seconds - a.from) * ((b.to - a.to) / (b.from - a.from))
    }

    package var inverse: TimeMap { TimeMap(knots: knots.map { Knot(from: $0.to, to: $0.from) }) }

    /// The map that applies `first`, then this one.
    package func after(_ first: TimeMap) -> TimeMap {
        if knots.count == 2, first.knots.count == 2 {
            return TimeMap(knots: first.knots.map { Knot(from: $0.from, to: self($0.to)) })
        }
        let back = first.inverse
        let times = (first.knots.map(\.from) + knots.map { back($0.from) }).sorted()
        var points: [Knot] = []
        for time in times where points.isEmpty || time - points[points.count - 1].from > 1e-9 {
            points.append(Knot(from: time, to: self(first(time))))
        }
        return TimeMap(knots: points)
    }

    /// This map for a clock that starts `seconds` later, so that `seconds` becomes 0.
    package func startingAt(_ seconds: Double) -> TimeMap {
        TimeMap(knots: knots.map { Knot(from: $0.from - seconds, to: $0.to) })
    }

    /// This map with its values multiplied by `factor`, which must be positive.
    package func scaled(by factor: Double) -> TimeMap {
        precondition(factor > 0, "factor \(factor) is not positive")
        return TimeMap(knots: knots.map { Knot(from: $0.from, to: $0.to * factor) })
    }

    /// The least-squares line over `span`, by its value at 0 and its slope, and the change of the slope per second.
    ///
    /// All are exact. The change is twice the square coefficient of the least-squares parabola. The line of an empty
    /// span touches the map there.
    package func leastSquares(over span: ClosedRange<Double>) -> (
        valueAtZero: Double, slope: Double, slopeChangePerSecond: Double
    ) {
        let (start, end) = (span.lowerBound, span.upperBound)
        if knots.count == 2 {
            let slope = (knots[1].to - knots[0].to) / (knots[1].from - knots[0].from)
            return (self(0), slope, 0)
        }
        if end <= start {
            let slope = (self(start + 1e-6) - self(start)) / 1e-6
            return (self(start) - slope * start, slope, 0)
        }
        // Projections on the Legendre polynomials x and (3x² − 1)/2 of −1…1. On each piece the
        // products are at most cubic, for which Gauss's rule with two nodes is exact.
        let half = (end - start) / 2
        let centre = start + half
        let middle = self(centre)
        let inner = knots.map(\.from).filter { $0 > start && $0 < end }
        let node = (1.0 / 3).squareRoot()
        var mean = 0.0
        var first = 0.0
        var second = 0.0
        for (low, high) in zip([start] + inner, inner + [end]) {
            for side in [-node, node] {
                let time = (low + high) / 2 + side * (high - low) / 2
                let x = (time - centre) / half
                let weighted = (self(time) - middle) * (high - low) / 2 / half
                mean += weighted / 2
                first += weighted * x
                second += weighted * (1.5 * x * x - 0.5)
            }
        }
        let slope = 1.5 * first / half
        return (middle + mean - slope * centre, slope, 3 * 2.5 * second / (half * half))
    }
}
