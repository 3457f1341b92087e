/// Where a series of figures changes its distribution.
///
/// Hierarchical division by energy statistics with α = 1, which assumes no shape of distribution: the split of
/// the parts found so far that tells them apart best is kept while it is significant by permutation.
/// D. S. Matteson and N. A. James, "A nonparametric approach for multiple change point analysis of multivariate
/// data", Journal of the American Statistical Association 109(505), 2014; for benchmarks of software: D. Daly and
/// others, "The use of change point detection to identify software performance regressions", ICPE 2020.
public struct ChangePoints: Hashable, Sendable {
    /// A change.
    public struct Change: Codable, Hashable, Sendable {
        /// The first figure after the change, counted from 0.
        public let index: Int
        /// The mean of the figures before, back to the change before or the beginning.
        public let before: Double
        /// The mean of the figures after, up to the next change or the end.
        public let after: Double
        /// How probable so good a split of so many figures is, were their order by chance.
        public let probability: Double
    }

    /// In the order of the series.
    public let changes: [Change]
    /// The mean of the part that each figure belongs to; as long as the series.
    public let levels: [Double]

    /// The fewest figures between two changes: of fewer nobody can tell a change from an outlier.
    public static let leastBetween = 3

    /// Looks for changes.
    ///
    /// - Parameters:
    ///   - series: finite figures in order.
    ///   - level: the greatest probability that counts as a change, above 0 and below 1. With 199 permutations
    ///     eight figures are the fewest that can show a change at 0.05.
    ///   - permutations: how many orders are drawn for each split.
    ///   - seed: names the draws.
    public init(_ series: [Double], level: Double = 0.05, permutations: Int = 199, seed: UInt64 = 0) {
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
                // Sums in another order differ in their last digits, and a tie is as good a split.
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

    /// The split of one part whose energy statistic is the greatest; nil for a part too short to be split.
    ///
    /// The sums of distances within and between both sides are carried from one split to the next.
    private static func best(_ values: [Double]) -> (split: Int, statistic: Double)? {
        let count = values.count
        guard count >= 2 * leastBetween else { return nil }
        var (left, right, between) = (0.0, 0.0, 0.0)
        for i in 0..<count { for j in 0..<i { right += abs(values[i] - values[j]) } }
        var best: (split: Int, statistic: Double)?
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

    /// Another order of `values`, by numbers of `random` from `place` on.
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
