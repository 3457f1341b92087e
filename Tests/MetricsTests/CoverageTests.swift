import AudioCore
import Foundation
import Metrics
import Testing

/// Intervals contain the true rate about as often as they say, also with few clusters, rates near 1, and outcomes
/// that are alike within a cluster.
///
/// `EARSHOT_COVERAGE_ROUNDS` sets the number of draws for each condition; a table is printed with it.
@Suite struct CoverageTests {
    private static let asked =
        ProcessInfo.processInfo.environment["EARSHOT_COVERAGE_ROUNDS"].flatMap { Int($0) }
    private static let rounds = asked ?? 300
    /// Three standard errors of a coverage of 93 %; one if a number of draws is asked for.
    private static let tolerance = (asked == nil ? 3 : 1) * (0.93 * 0.07 / Double(rounds)).squareRoot()

    @Test(arguments: [10, 15, 22, 50, 100], [0, 0.15, 0.4])
    func clusteredIntervals(clusters: Int, correlation: Double) throws {
        // What is not too wide: most of the rates to 0.8 where clusters are no more alike than trials.
        var independent: [Double] = []
        for size in [4, 20, 76] {
            var row: [String] = []
            for rate in [0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999] {
                var generator = SeededGenerator(seed: 18, "\(clusters) \(correlation) \(size) \(rate)")
                var (covered, ends, endsCovered) = (0, 0, 0)
                for _ in 0..<Self.rounds {
                    let drawn = Proportion(
                        clustered: Self.trials(
                            clusters: clusters, size: size, rate: rate, correlation: correlation, &generator))
                    let isCovered = try #require(drawn.wilsonInterval()).contains(rate)
                    covered += isCovered ? 1 : 0
                    if drawn.successes == 0 || drawn.successes == drawn.trials {
                        ends += 1
                        endsCovered += isCovered ? 1 : 0
                    }
                }
                let share = Double(covered) / Double(Self.rounds)
                #expect(share >= 0.93 - Self.tolerance, "\(size) trials each, rate \(rate)")
                // Where most draws succeed in all trials, those intervals must contain the rate too.
                if ends > Self.rounds / 2 {
                    #expect(Double(endsCovered) >= 0.93 * Double(ends), "\(size) trials each, rate \(rate)")
                }
                row.append(String(format: "%5.1f", share * 100))
                if correlation == 0, rate <= 0.8 { independent.append(share) }
            }
            if Self.asked != nil {
                print("| \(clusters) | \(correlation) | \(size) | \(row.joined(separator: " | ")) |")
            }
        }
        if !independent.isEmpty {
            let mean = independent.reduce(0, +) / Double(independent.count)
            #expect(mean < 0.98, "\(mean)")
        }
    }

    /// Rare gains and losses that come together in some clusters, as those of a changed matcher do.
    @Test(arguments: [10, 15, 22, 50, 100], [0, 0.15, 0.4])
    func clusteredDifferences(clusters: Int, correlation: Double) throws {
        for size in [4, 20, 56] {
            for (gain, loss) in [(0, 0.01), (0.01, 0.01), (0.005, 0.02), (0, 0.05), (0.1, 0.2)] {
                var generator = SeededGenerator(
                    seed: 19, "\(clusters) \(correlation) \(size) \(gain) \(loss)")
                var covered = 0
                for _ in 0..<Self.rounds {
                    let gains = Self.rates(clusters, gain, correlation, &generator)
                    let losses = Self.rates(clusters, loss, correlation, &generator)
                    var pairs: [(cluster: String, before: Bool, after: Bool)] = []
                    for cluster in 0..<clusters {
                        let lossOfRest = losses[cluster] / max(1e-9, 1 - gains[cluster])
                        for _ in 0..<(size / 2 + generator.index(below: size + 1)) {
                            let isGained = generator.unit() < gains[cluster]
                            let isLost = !isGained && generator.unit() < lossOfRest
                            pairs.append((Self.names[cluster], !isGained, !isLost))
                        }
                    }
                    let interval = try #require(PairedDifference(pairs).interval())
                    covered += interval.contains(gain - loss) ? 1 : 0
                }
                let share = Double(covered) / Double(Self.rounds)
                #expect(share >= 0.93 - Self.tolerance, "\(size) pairs each, gain \(gain), loss \(loss)")
                if Self.asked != nil {
                    print(
                        "| \(clusters) | \(correlation) | \(size) | +\(gain) −\(loss) |"
                            + String(format: " %5.1f |", share * 100))
                }
            }
        }
    }

    /// The rates of clusters, beta distributed, so that `correlation` is that of two trials of a cluster.
    private static func rates(
        _ clusters: Int, _ rate: Double, _ correlation: Double, _ generator: inout SeededGenerator
    ) -> [Double] {
        (0..<clusters).map { _ in
            guard correlation > 0, rate > 0 else { return rate }
            let sum = 1 / correlation - 1
            let first = gamma(rate * sum, &generator)
            return first / (first + gamma((1 - rate) * sum, &generator))
        }
    }

    /// Trials of clusters of `size` on average.
    private static func trials(
        clusters: Int, size: Int, rate: Double, correlation: Double, _ generator: inout SeededGenerator
    ) -> [(cluster: String, success: Bool)] {
        var trials: [(cluster: String, success: Bool)] = []
        for cluster in 0..<clusters {
            let own = rates(1, rate, correlation, &generator)[0]
            for _ in 0..<(size / 2 + generator.index(below: size + 1)) {
                trials.append((names[cluster], generator.unit() < own))
            }
        }
        return trials
    }

    private static let names = (0..<100).map { "\($0)" }

    /// A gamma variable, by the method of Marsaglia and Tsang (ACM TOMS 26(3), 2000).
    private static func gamma(_ shape: Double, _ generator: inout SeededGenerator) -> Double {
        if shape < 1 {
            return gamma(shape + 1, &generator) * pow(max(generator.unit(), 1e-300), 1 / shape)
        }
        let d = shape - 1.0 / 3
        while true {
            let x = NormalDistribution.quantile(max(generator.unit(), 1e-300))
            let v = pow(1 + x / (9 * d).squareRoot(), 3)
            if v > 0, log(max(generator.unit(), 1e-300)) < x * x / 2 + d - d * v + d * log(v) { return d * v }
        }
    }

    @Test(arguments: [40, 200, 2000])
    func independentIntervals(trials: Int) throws {
        let intervals = try (0...trials).map { try #require(Proportion($0, of: trials).wilsonInterval()) }
        let shares = (0...490).map { step in
            let rate = 0.5 + 0.001 * Double(step)
            let distribution = BinomialDistribution(trials: trials, rate: rate)
            // Intervals rise with the successes, so those that cover the rate are adjacent.
            let first = intervals.firstIndex { $0.upper >= rate } ?? trials
            let last = intervals.lastIndex { $0.lower <= rate } ?? 0
            return distribution.atMost(last) - distribution.atMost(first - 1)
        }
        let mean = shares.reduce(0, +) / Double(shares.count)
        #expect((0.93...0.97).contains(mean), "\(mean)")
    }
}
