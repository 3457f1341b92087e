/// The rising step function with the least squared error from weighted points.
///
/// Pool adjacent violators: Ayer, Brunk, Ewing, Reid and Silverman, "An empirical distribution
/// function for sampling with incomplete information", Annals of Mathematical Statistics 26(4), 1955.
/// Fitted to outcomes 0 and 1 against stated probabilities, it gives the calibrated probabilities.
package struct IsotonicFit: Codable, Hashable, Sendable {
    package struct Step: Codable, Hashable, Sendable {
        package let range: Interval
        /// Its height: the weighted mean of its points.
        package let value: Double
        package let weight: Double
    }

    /// The steps, rising, with gaps between the ranges.
    package let steps: [Step]

    /// Fits points in any order; points with equal `x` share a step.
    ///
    /// Leaves out points whose `weight` is not above 0 or whose `x` is not a number.
    package init(_ points: some Sequence<(x: Double, y: Double, weight: Double)>) {
        let sorted = points.filter { $0.weight > 0 && !$0.x.isNaN }
            .sorted { ($0.x, $0.y, $0.weight) < ($1.x, $1.y, $1.weight) }
        var blocks: [Block] = []
        for point in sorted {
            if let last = blocks.last, last.last == point.x {
                blocks[blocks.count - 1].add(point.y, weight: point.weight)
            } else {
                blocks.append(
                    Block(first: point.x, last: point.x, sum: point.y * point.weight, weight: point.weight))
            }
        }
        var pooled: [Block] = []
        for block in blocks {
            pooled.append(block)
            while pooled.count > 1, pooled[pooled.count - 2].mean >= pooled[pooled.count - 1].mean {
                let last = pooled.removeLast()
                pooled[pooled.count - 1].add(last)
            }
        }
        steps = pooled.map { block in
            Step(
                range: Interval(lower: block.first, upper: block.last), value: block.mean,
                weight: block.weight)
        }
    }

    /// The height at `x`, linear between the steps and constant outside them; nil without points.
    package func value(at x: Double) -> Double? {
        guard let first = steps.first, let last = steps.last else { return nil }
        if x <= first.range.upper { return first.value }
        if x >= last.range.lower { return last.value }
        guard let next = steps.firstIndex(where: { x <= $0.range.upper }) else { return last.value }
        let (a, b) = (steps[next - 1], steps[next])
        if x >= b.range.lower { return b.value }
        return a.value + (b.value - a.value) * (x - a.range.upper) / (b.range.lower - a.range.upper)
    }

    private struct Block {
        let first: Double
        var last: Double
        var sum: Double
        var weight: Double

        var mean: Double { sum / weight }

        mutating func add(_ y: Double, weight more: Double) {
            sum += y * more
            weight += more
        }

        mutating func add(_ other: Block) {
            last = other.last
            sum += other.sum
            weight += other.weight
        }
    }
}
