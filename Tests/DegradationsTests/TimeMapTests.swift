import AudioCore
import Degradations
import Foundation
import Testing

/// A map with many knots of a known function.
private func sampled(_ function: (Double) -> Double, every step: Double = 0.001, to end: Double = 10)
    -> TimeMap
{
    TimeMap(
        knots: (0...Int(end / step)).map { index in
            let time = Double(index) * step
            return TimeMap.Knot(from: time, to: function(time))
        })
}

@Test("A straight map is a straight line, outside its knots too")
func straightMap() {
    let map = TimeMap(offsetSeconds: 100, slope: 1.05)
    for time in [-3.0, 0, 0.4, 30] { #expect(abs(map(time) - (100 + 1.05 * time)) < 1e-9) }
    #expect(abs(map.inverse(map(7.25)) - 7.25) < 1e-9)
}

@Test("One map after another is the composition, and its inverse reverses it")
func composition() {
    let first = sampled { 0.5 + 1.02 * $0 + 0.001 * $0 * $0 }
    let second = sampled({ 20 + 0.97 * $0 - 0.0005 * $0 * $0 }, every: 0.0173, to: 14)
    let both = second.after(first)
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<1000 {
        let time = generator.uniform(in: -1...12)
        #expect(abs(both(time) - second(first(time))) < 1e-9)
        #expect(abs(both.inverse(both(time)) - time) < 1e-9)
    }
}

@Test("A later start and a factor")
func movedAndScaled() {
    let map = sampled { 3 + 1.1 * $0 + 0.002 * $0 * $0 }
    let moved = map.startingAt(2)
    let scaled = map.scaled(by: 0.5)
    for time in [-1.0, 0, 1.5, 9] {
        #expect(abs(moved(time) - map(time + 2)) < 1e-12)
        #expect(abs(scaled(time) - map(time) / 2) < 1e-12)
    }
}

@Test("The least-squares line is that of many samples", arguments: [0...10.0, 1.5...4, 0.2...0.3])
func leastSquaresLine(span: ClosedRange<Double>) {
    let map = sampled { 250 + 0.99 * $0 + 0.004 * $0 * $0 + 0.01 * sin(3 * $0) }
    let times = (0..<20_000).map { number in
        span.lowerBound + (span.upperBound - span.lowerBound) * (Double(number) + 0.5) / 20_000
    }
    let meanTime = times.reduce(0, +) / 20_000
    let meanValue = times.reduce(0) { $0 + map($1) } / 20_000
    let slope =
        times.reduce(0) { $0 + ($1 - meanTime) * (map($1) - meanValue) }
        / times.reduce(0) { $0 + ($1 - meanTime) * ($1 - meanTime) }
    let fit = map.leastSquares(over: span)
    #expect(abs(fit.slope - slope) < 1e-7)
    #expect(abs(fit.valueAtZero - (meanValue - slope * meanTime)) < 1e-7)
}

@Test("Least squares finds the slope and its change of a parabola far from 0", arguments: [0.5, 3, 10])
func leastSquaresOfParabola(seconds: Double) {
    let map = sampled { 250 + 0.99 * $0 + 0.001 * $0 * $0 }
    let fit = map.leastSquares(over: 0...seconds)
    // The least-squares line of t² over 0…D has slope D.
    #expect(abs(fit.slope - (0.99 + 0.001 * seconds)) < 1e-8)
    #expect(abs(fit.slopeChangePerSecond - 0.002) < 1e-5)
}

@Test("Least squares of a straight map is its slope without a change")
func leastSquaresOfLine() {
    let line = TimeMap(offsetSeconds: 250, slope: 1.03).leastSquares(over: 0...8)
    #expect(abs(line.slope - 1.03) < 1e-12 && line.valueAtZero == 250)
    #expect(line.slopeChangePerSecond == 0)
    let pieces = sampled { 250 + 1.03 * $0 }.leastSquares(over: 0...8)
    #expect(abs(pieces.slope - 1.03) < 1e-10)
    #expect(abs(pieces.slopeChangePerSecond) < 1e-9)
}
