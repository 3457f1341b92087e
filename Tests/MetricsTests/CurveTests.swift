import AudioCore
import Foundation
import Metrics
import Testing

/// In decibels; both searches stop where the likelihood is flat to 1e-12.
private let levelTolerance = 1e-3

@Test func psychometricCurvesAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().psychometric
    try #require(cases.count >= 4)
    for reference in cases {
        let levels = reference.levels.indices.map {
            PsychometricCurve.Level(
                reference.levels[$0], successes: reference.successes[$0], trials: reference.trials[$0])
        }
        let curve = try #require(PsychometricCurve(levels))
        let (half, most) = (try #require(curve.level(at: 0.5)), try #require(curve.level(at: 0.9)))
        #expect(abs(half - reference.levelAtHalf) < levelTolerance, "\(half) \(reference.levelAtHalf)")
        #expect(abs(most - reference.levelAtNineTenths) < levelTolerance, "\(most) \(reference)")
        #expect(abs(curve.lapseRate - reference.lapseRate) < 1e-4, "\(curve.lapseRate)")
        #expect(agree(curve.rate(at: half), 0.5, tolerance: 1e-12))
        // A search from a near start must have the same result.
        let again = try #require(PsychometricCurve(levels.reversed(), near: curve))
        #expect(abs(again.midpoint - curve.midpoint) < levelTolerance)
    }
}

@Test func exactCountsOfACurveGiveTheCurve() throws {
    let levels = stride(from: -15.0, through: 12, by: 3).map { level in
        let rate = 0.97 / (1 + exp(-(level + 4) / 2))
        return PsychometricCurve.Level(level, successes: 400 * rate, trials: 400)
    }
    let curve = try #require(PsychometricCurve(levels))
    #expect(abs(curve.midpoint + 4) < 1e-3 && abs(curve.spread - 2) < 1e-3)
    #expect(abs(curve.lapseRate - 0.03) < 1e-4)
    #expect(curve.level(at: 0.98) == nil)
}

@Test func curvesNeedSomethingToFit() {
    func levels(_ successes: [Double]) -> [PsychometricCurve.Level] {
        successes.enumerated().map { .init(Double($0), successes: $1, trials: 10) }
    }
    #expect(PsychometricCurve(levels([0, 0, 0])) == nil)
    #expect(PsychometricCurve(levels([10, 10])) == nil)
    #expect(PsychometricCurve(levels([5])) == nil)
    #expect(PsychometricCurve([]) == nil)
    // The fit of a step between two levels is between them, and no steeper than they can show.
    let step = PsychometricCurve(levels([0, 0, 10, 10]))
    #expect((1.2...1.8).contains(step?.midpoint ?? 0), "\(String(describing: step))")
    #expect((step?.spread ?? 0) >= 1 / 8.8 - 1e-12)
}

/// Queries at seven levels; each track has its own midpoint.
private func drawn(_ generator: inout SeededGenerator, clusters: Int = 100, midpoint: Double = -6)
    -> [(cluster: String, level: Double, success: Bool)]
{
    (0..<clusters).flatMap { cluster -> [(cluster: String, level: Double, success: Bool)] in
        let shift = 4 * (generator.unit() + generator.unit() - 1)
        return [-15.0, -12, -9, -6, -3, 0, 5].map { level in
            let rate = 1 / (1 + exp(-(level - midpoint - shift) / 1.5))
            return (cluster: "\(cluster)", level: level, success: generator.unit() < rate)
        }
    }
}

@Test func crossingsCoverTheTruth() throws {
    let rounds = 300
    var covered = 0
    for round in 0..<rounds {
        var generator = SeededGenerator(seed: 91, "\(round)")
        let curve = try #require(RecallCurve(drawn(&generator)))
        // The shifts are symmetric, so the mean curve is one half at −6 dB too.
        let crossing = curve.crossings(at: [0.5], ClusterBootstrap(resamples: 79, seed: UInt64(round)))
        guard case .within(let level)?? = crossing.first else {
            Issue.record("\(crossing)")
            continue
        }
        if level.interval.contains(-6) { covered += 1 }
    }
    // Two standard errors of 300 draws are 2.5 %.
    #expect((0.92...0.98).contains(Double(covered) / Double(rounds)), "\(covered)")
}

@Test func crossingsOutsideTheMeasuredLevelsAreNotExtrapolated() throws {
    var generator = SeededGenerator(seed: 4)
    let bootstrap = ClusterBootstrap(resamples: 99, seed: 1)
    let easy = try #require(RecallCurve(drawn(&generator, midpoint: -40)))
    let hard = try #require(RecallCurve(drawn(&generator, midpoint: 40)))
    let late = try #require(RecallCurve(drawn(&generator, midpoint: 4)))
    #expect(easy.crossings(at: [0.5, 0.9], bootstrap) == [.below(-15), .below(-15)])
    #expect(hard.crossings(at: [0.5, 0.9], bootstrap) == [.above(5), .above(5)])
    let crossings = late.crossings(at: [0.5, 0.9], bootstrap)
    guard case .within? = crossings[0] else {
        Issue.record("\(crossings)")
        return
    }
    #expect(crossings[1] == .above(5))
    #expect(late.points.map(\.level) == [-15, -12, -9, -6, -3, 0, 5] && late.clusters == 100)
    #expect(RecallCurve([(cluster: "a", level: 1, success: true)]) == nil)
}

@Test func isotonicFitsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().isotonic
    try #require(cases.count >= 3)
    for reference in cases {
        let fit = IsotonicFit(
            reference.x.indices.map {
                (x: reference.x[$0], y: reference.y[$0], weight: reference.weights[$0])
            })
        try #require(reference.places.count == reference.values.count && !reference.values.isEmpty)
        for (place, expected) in zip(reference.places, reference.values) {
            // Means of at most 200 weights, summed in another order.
            #expect(agree(try #require(fit.value(at: place)), expected, tolerance: 1e-12))
        }
    }
}

@Test func isotonicFitsRiseAndKeepTheMean() throws {
    var generator = SeededGenerator(seed: 15)
    let points = (0..<500).map { _ in
        (x: generator.unit(), y: generator.unit(), weight: 0.1 + generator.unit())
    }
    let fit = IsotonicFit(points)
    #expect(fit == IsotonicFit(points.shuffled(using: &generator)))
    for (a, b) in zip(fit.steps, fit.steps.dropFirst()) {
        #expect(a.value < b.value && a.range.upper < b.range.lower)
    }
    let sum = points.reduce(0) { $0 + $1.y * $1.weight }
    #expect(agree(fit.steps.reduce(0) { $0 + $1.value * $1.weight }, sum, tolerance: 1e-10))
    #expect(IsotonicFit([(x: Double, y: Double, weight: Double)]()).value(at: 1) == nil)
    let two = IsotonicFit([(x: 0, y: 0, weight: 1), (x: 2, y: 1, weight: 1), (x: .nan, y: 9, weight: 1)])
    #expect(two.value(at: -1) == 0 && two.value(at: 0.5) == 0.25 && two.value(at: 3) == 1)
}
