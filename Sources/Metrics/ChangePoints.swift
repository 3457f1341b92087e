/// The changes of distribution in a series of figures.
///
/// The method is hierarchical division by energy statistics with α = 1. It assumes no shape of distribution.
/// Each step finds the split with the greatest statistic and keeps it if a permutation test finds it significant.
///
/// D. S. Matteson and N. A. James, "A nonparametric approach for multiple change point analysis of multivariate
/// data", JASA 109(505), 2014.
/// For benchmarks of software: D. Daly and others, "The use of change point detection to identify software
/// performance regressions", ICPE 2020.
package struct ChangePoints: Hashable, Sendable {
    package struct Change: Codable, Hashable, Sendable {
        /// The first figure after the change, counted from 0.
        package let index: Int
        /// The mean of the figures since the previous change.
        package let before: Double
        /// The mean of the figures up to the next change.
        package let after: Double
        /// The probability of a split at least as good if the order were random.
        package let probability: Double
    }

    package let changes: [Change]
    /// For each figure, the mean of its part.
    package let levels: [Double]

    /// The fewest figures between two changes; fewer could be an outlier.
    private static let leastBetween = 3

    /// Finds the changes of a series of finite figures.
    ///
    /// A change has a probability of at most `level`, above 0 and below 1. Each split draws `permutations` orders. With
    /// 199 of them, a change at the level 0.05 needs at least eight figures.
    package init(_ series: [Double], level: Double = 0.05, permutations: Int = 199, seed: UInt64 = 0) {
        var bounds = [0, series.count]
        var probabilities: [Int: Double] = [:]
        while true {
            let parts = zip(bounds, bounds.dropFirst()).map { Array(series[$0..<$1]) }
            guard let best = Self.best(parts) else { break }
            let hits = (0..<permutations).count { permutation in
                let draw = probabilities.count * permutations + permutation
                let random = CountedRandom(seed: seed, draw: draw)
                var place = 0
                let shuffled = parts.map { Self.shuffled($0, by: random, from: &place) }
                // Another order of summation changes the last digits, and a tie counts as a hit.
                return (Self.best(shuffled)?.statistic ?? 0) >= best.statistic * (1 - 1e-12)
            }
            let probability = Double(1 + hits) / Double(1 + permutations)
            guard probability <= level else { break }
            let split = bounds[best.part] + best.split
            probabilities[split] = probability
            bounds.insert(split, at: best.part + 1)
        }
        let means = zip(bounds, bounds.dropFirst()).map { lower, upper in
            series[lower..<upper].reduce(0, +) / Double(max(1, upper - lower))
        }
        changes = bounds.dropFirst().dropLast().enumerated().map { number, split in
            Change(
                index: split, before: means[number], after: means[number + 1],
                probability: probabilities[split] ?? 1)
        }
        levels = zip(means, zip(bounds, bounds.dropFirst())).flatMap { mean, part in
            Array(repeating: mean, count: part.1 - part.0)
        }
    }

    private struct Split {
        var part: Int
        var split: Int
        var statistic: Double
    }

    private static func best(_ parts: [[Double]]) -> Split? {
        var best: Split?
        for (part, values) in parts.enumerated() {
            guard let (split, statistic) = Self.best(values), statistic > best?.statistic ?? 0 else {
                continue
            }
            best = Split(part: part, split: split, statistic: statistic)
        }
        return best
    }

    /// The split of one part with the greatest energy statistic; nil for a part too short to be split.
    private static func best(_ values: [Double]) -> (split: Int, statistic: Double)? {
        let count = values.count
        guard count >= 2 * leastBetween else { return nil }
        var (left, right, between) = (0.0, 0.0, 0.0)
        for i in 0..<count { for j in 0..<i { right += abs(values[i] - values[j]) } }
        var best: (split: Int, statistic: Double)?
        // Each split updates the sums of distances of the split before.
        for split in 1...(count - leastBetween) {
            let moved = values[split - 1]
            let toLeft = values[..<(split - 1)].reduce(0) { $0 + abs(moved - $1) }
            let toRight = values[split...].reduce(0) { $0 + abs(moved - $1) }
            left += toLeft
            right -= toRight
            between += toRight - toLeft
            guard split >= leastBetween else { continue }
            let (m, n) = (Double(split), Double(count - split))
            let energy = 2 * between / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1))
            let statistic = m * n / (m + n) * energy
            if statistic > best?.statistic ?? 0 { best = (split, statistic) }
        }
        return best
    }

    /// A random order of `values`; uses the numbers of `random` from `place` on.
    private static func shuffled(_ values: [Double], by random: CountedRandom, from place: inout Int)
        -> [Double]
    {
        var values = values
        for last in stride(from: values.count - 1, to: 0, by: -1) {
            values.swapAt(last, random.index(below: last + 1, at: place))
            place += 1
        }
        return values
    }
}
