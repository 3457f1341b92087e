import AudioCore
import Foundation
import Metrics
import Testing

@Test func tailsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().tails
    try #require(cases.count >= 3)
    for reference in cases {
        let falling = reference.scores.sorted(by: >).map { (score: $0, weight: 1) }
        let tail = try #require(ScoreTail(falling: falling, total: falling.count))
        // The same moments, summed in another order.
        #expect(agree(tail.shape, reference.shape, tolerance: 1e-12))
        try #require(!reference.exceeded.isEmpty)
        for point in reference.exceeded {
            #expect(agree(tail.score(exceededBy: point.share), point.score, tolerance: 1e-10))
        }
    }
}

@Test func weightsOfATailAreRepetitions() throws {
    var generator = SeededGenerator(seed: 3)
    let weighted = (0..<300).map { _ in (score: generator.unit(), weight: generator.index(below: 4)) }
        .sorted { $0.score > $1.score }
    let repeated = weighted.flatMap { entry in
        (0..<entry.weight).map { _ in (score: entry.score, weight: 1) }
    }
    let a = try #require(ScoreTail(falling: weighted, total: repeated.count))
    let b = try #require(ScoreTail(falling: repeated, total: repeated.count))
    #expect(a.level == b.level && agree(a.share, b.share, tolerance: 0))
    #expect(agree(a.scale, b.scale, tolerance: 1e-12) && agree(a.shape, b.shape, tolerance: 1e-12))
}

@Test func tailsNeedExcessesThatDiffer() {
    let few = (0..<20).map { (score: Double(-$0), weight: 1) }
    #expect(ScoreTail(falling: few, total: 20) == nil)
    #expect(ScoreTail(falling: few + [(score: -20, weight: 1)], total: 21) != nil)
    #expect(ScoreTail(falling: (0..<50).map { _ in (score: 1.0, weight: 1) }, total: 50) == nil)
    let endless = [(score: Double.infinity, weight: 5)] + (0..<50).map { (score: Double(-$0), weight: 1) }
    #expect(ScoreTail(falling: endless, total: 55) == nil)
}

/// Exponential wrong scores and uniform right scores, in clusters that share a shift.
private func drawn(_ generator: inout SeededGenerator) -> [(cluster: String, scores: ScoredTrial)] {
    var trials: [(cluster: String, scores: ScoredTrial)] = []
    for cluster in 0..<120 {
        let shift = 6 * generator.unit()
        for _ in 0..<5 {
            let score = shift + 12 * generator.unit()
            trials.append(("right \(cluster)", ScoredTrial(score: score, isRight: true, isPositive: true)))
        }
        for _ in 0..<10 {
            let score = -log1p(-generator.unit())
            trials.append(("wrong \(cluster)", ScoredTrial(score: score, isRight: false, isPositive: false)))
        }
    }
    return trials
}

/// The share of right scores above `limit`, 6 U + 12 U′ for uniform U and U′, for 6 ≤ limit ≤ 12.
private func recall(above limit: Double) -> Double { 1 - (limit - 3) / 12 }

/// The share of wrong scores above t is e^−t, so the scores at the wanted rates are known.
@Test func extrapolationCoversTheTruth() throws {
    let rounds = 200
    let growths = [1.0, 10, 100]
    var covered = [0, 0, 0]
    for round in 0..<rounds {
        var generator = SeededGenerator(seed: 77, "\(round)")
        let separation = try #require(ScoreSeparation(drawn(&generator)))
        let found = separation.recalls(
            atFalseAcceptRates: [0.002], catalogGrowths: growths,
            ClusterBootstrap(resamples: 119, seed: UInt64(round)))
        try #require(found.count == 3)
        #expect(found.map(\.evidence) == [.fittedTail, .beyondData, .beyondData])
        for (index, growth) in growths.enumerated() {
            let limit = -log(-expm1(log1p(-0.002) / growth))
            if found[index].recall.interval.contains(recall(above: limit)) { covered[index] += 1 }
        }
    }
    // Two standard errors of 200 draws are 3 %. Beyond the data the fit may be conservative.
    for count in covered { #expect((0.9...1).contains(Double(count) / Double(rounds)), "\(covered)") }
}

@Test func largerCatalogsAreNeverEasier() throws {
    var generator = SeededGenerator(seed: 5)
    let separation = try #require(ScoreSeparation(drawn(&generator)))
    let found = separation.recalls(
        atFalseAcceptRates: [0.1, 0.01, 0.001], catalogGrowths: [1, 10, 100, 1000],
        ClusterBootstrap(resamples: 99, seed: 1))
    try #require(found.count == 12)
    for (a, b) in zip(found, found.dropFirst(3)) { #expect(a.recall.value >= b.recall.value) }
    #expect(found[0].evidence == .counted && found[11].evidence == .beyondData)
    // 1 − (1 − p)^g is the wanted rate.
    for each in found {
        let back = -expm1(each.catalogGrowth * log1p(-each.rateInRun))
        #expect(agree(back, each.falseAcceptRate, tolerance: 1e-12))
    }
}

@Test func tooFewWrongScoresAreNotExtrapolated() throws {
    let trials = (0..<200).map { number -> (cluster: String, scores: ScoredTrial) in
        let isPositive = number < 100
        let score = isPositive ? 5.0 : number < 110 ? 1.0 : nil
        return ("\(number)", ScoredTrial(score: score, isRight: isPositive, isPositive: isPositive))
    }
    let found = try #require(ScoreSeparation(trials)).recalls(
        atFalseAcceptRates: [0.1, 0.01], ClusterBootstrap(resamples: 99, seed: 1))
    #expect(found.count == 1)
    #expect(found.first?.evidence == .counted && found.first?.recall.value == 1)
}
