import AudioCore
import Metrics
import Testing

@Test func bootstrapIntervalsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().bootstraps
    try #require(cases.count >= 3)
    for reference in cases {
        let values = zip(reference.sums, reference.counts).enumerated().flatMap { number, cell in
            (0..<cell.1).map { _ in (cluster: "\(number)", value: cell.0 / Double(cell.1)) }
        }
        let interval = try #require(ClusterBootstrap.mean(values, resamples: 39_999, seed: 3)).interval
        // Both sides draw. With 40,000 draws, an end of the interval varies by about 1 % of the width.
        let tolerance = 0.03 * (reference.upper - reference.lower)
        #expect(abs(interval.lower - reference.lower) < tolerance, "\(reference.lower) \(interval)")
        #expect(abs(interval.upper - reference.upper) < tolerance, "\(reference.upper) \(interval)")
    }
}

@Test func bootstrapDependsOnlyOnTheSeed() throws {
    var generator = SeededGenerator(seed: 2)
    let values = (0..<500).map { (cluster: "\($0 % 120)", value: generator.unit()) }
    let first = try #require(ClusterBootstrap.mean(values, seed: 7))
    #expect(ClusterBootstrap.mean(values.shuffled(using: &generator), seed: 7) == first)
    #expect(ClusterBootstrap.mean(values, seed: 8)?.interval != first.interval)
    #expect(first.interval.contains(first.value) && !first.hasFewClusters && first.clusters == 120)
}

@Test func bootstrapWithoutSpreadOrClusters() throws {
    let same = (0..<50).map { (cluster: "\($0 % 20)", value: 0.25) }
    let estimate = try #require(ClusterBootstrap.mean(same, seed: 1))
    #expect(estimate.interval == Interval(lower: 0.25, upper: 0.25))
    #expect(estimate.hasFewClusters)
    #expect(ClusterBootstrap.mean([(cluster: "a", value: 1), (cluster: "a", value: 2)], seed: 1) == nil)
    #expect(ClusterBootstrap.mean([(cluster: String, value: Double)](), seed: 1) == nil)
}

/// The share of intervals that cover the true recall, for tracks of different recalls and sizes.
private func coverage(clusters: Int, rounds: Int) throws -> Double {
    var covered = 0
    for round in 0..<rounds {
        var generator = SeededGenerator(seed: 60, "\(clusters)", "\(round)")
        var trials: [(cluster: String, value: Double)] = []
        for cluster in 0..<clusters {
            // Rates of u^¼ for uniform u: a mean of 0.8, most near 1 and a few near 0.
            let rate = generator.unit().squareRoot().squareRoot()
            for _ in 0..<(4 + generator.index(below: 9)) {
                trials.append(("\(cluster)", generator.unit() < rate ? 1 : 0))
            }
        }
        let estimate = try #require(ClusterBootstrap.mean(trials, resamples: 199, seed: UInt64(round)))
        if estimate.interval.contains(0.8) { covered += 1 }
    }
    return Double(covered) / Double(rounds)
}

@Test func bootstrapCoversTheTruthWithAHundredClusters() throws {
    let share = try coverage(clusters: 100, rounds: 2000)
    print("A 95 % bootstrap interval of 100 clusters covers the truth in \(share * 100) % of draws.")
    #expect((0.93...0.97).contains(share), "\(share)")
}

/// The printed figures are the reason for the warning in reports.
@Test func bootstrapCoversLessWithFewClusters() throws {
    for clusters in [30, 50] {
        let share = try coverage(clusters: clusters, rounds: 1000)
        print(
            "A 95 % bootstrap interval of \(clusters) clusters covers the truth in \(share * 100) % of draws."
        )
        #expect((0.88...0.97).contains(share), "\(clusters): \(share)")
    }
}
