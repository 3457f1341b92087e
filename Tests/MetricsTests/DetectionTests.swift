import AudioCore
import Metrics
import Testing

/// Ratios of counts; only the interpolation rounds.
private let countTolerance = 1e-12

private func trials(_ reference: ReferenceValues.Detection) -> [ScoredTrial] {
    reference.rightScores.map { ScoredTrial(score: $0, isRight: true, isPositive: true) }
        + reference.wrongScores.map { ScoredTrial(score: $0, isRight: false, isPositive: false) }
}

@Test func equalErrorRateAgreesWithSciPy() throws {
    let reference = try ReferenceValues.load().detection
    let curve = try #require(DetectionCurve(trials(reference)))
    #expect(agree(try #require(curve.equalErrorRate), reference.equalErrorRate, tolerance: countTolerance))
}

/// The area under the curve is the share of pairs with a higher right score, Mann and Whitney's U.
@Test func areaUnderTheCurveAgreesWithSciPy() throws {
    let reference = try ReferenceValues.load().detection
    let curve = try #require(DetectionCurve(trials(reference)))
    let area = zip(curve.points, curve.points.dropFirst()).reduce(0.0) { area, pair in
        let (a, b) = pair
        return area + (b.falseAcceptRate - a.falseAcceptRate) * (2 - a.missRate - b.missRate) / 2
    }
    #expect(agree(area, reference.area, tolerance: countTolerance))
}

@Test func recallAtARateAgreesWithNumPy() throws {
    let reference = try ReferenceValues.load().detection
    let own = trials(reference).enumerated().map { (cluster: "\($0)", scores: $1) }
    let separation = try #require(ScoreSeparation(own))
    for (rate, recall) in zip(reference.rates, reference.recalls) {
        let found = try #require(
            separation.recalls(atFalseAcceptRates: [rate], ClusterBootstrap(resamples: 99, seed: 1)).first)
        // With 180 negatives, 1 % is only one of them, so the limit comes from the tail.
        #expect(found.evidence == (rate < 0.05 ? .fittedTail : rate < 0.2 ? .fittedTail : .counted))
        if found.evidence == .counted {
            #expect(agree(found.recall.value, recall, tolerance: countTolerance))
        } else {
            // Two or nine excesses against a fit to twenty are near, not equal.
            #expect(abs(found.recall.value - recall) < 0.08, "\(rate): \(found.recall.value) \(recall)")
        }
        #expect(found.recall.interval.contains(found.recall.value))
    }
}

@Test func everyThresholdIsOnTheCurve() throws {
    var generator = SeededGenerator(seed: 6)
    let trials = (0..<400).map { _ -> ScoredTrial in
        let isPositive = generator.unit() < 0.4
        let score =
            generator.unit() < 0.1 ? nil : (generator.unit() * 40).rounded() / 4 + (isPositive ? 3 : 0)
        return ScoredTrial(
            score: score, isRight: isPositive && generator.unit() < 0.9, isPositive: isPositive)
    }
    let curve = try #require(DetectionCurve(trials))
    #expect(curve == DetectionCurve(trials.shuffled(using: &generator)))
    #expect(curve.positives + curve.negatives == 400)
    for point in curve.points.dropFirst() {
        let threshold = try #require(point.threshold)
        let accepted = trials.count { !$0.isPositive && ($0.wrongScore ?? -.infinity) >= threshold }
        let found = trials.count { $0.isPositive && ($0.rightScore ?? -.infinity) >= threshold }
        #expect(agree(point.falseAcceptRate, Double(accepted) / Double(curve.negatives), tolerance: 1e-15))
        #expect(agree(point.missRate, 1 - Double(found) / Double(curve.positives), tolerance: 1e-15))
    }
    for (a, b) in zip(curve.points, curve.points.dropFirst()) {
        #expect(a.falseAcceptRate <= b.falseAcceptRate && a.missRate >= b.missRate)
    }
}

@Test func separateScoresHaveNoEqualError() throws {
    let clean = (0..<40).map { number in
        (
            cluster: "\(number)",
            scores: ScoredTrial(
                score: Double(number), isRight: number >= 20, isPositive: number >= 20)
        )
    }
    let separation = try #require(ScoreSeparation(clean))
    #expect(separation.curve.equalErrorRate == 0)
    #expect(separation.curve.points.count == 3)
    let estimate = try #require(separation.equalErrorRate(ClusterBootstrap(resamples: 199, seed: 1)))
    // Twenty right trials of each kind still allow for an error rate of a sixth.
    #expect(estimate.value == 0 && estimate.interval.lower == 0)
    #expect(estimate.interval.upper == Proportion(0, of: 20).wilsonInterval()?.upper)
}

/// Wilson's upper end for no error in 100 trials, with Student's quantile for 10 clusters.
@Test func fewClustersWidenTheEqualErrorRate() throws {
    let clean = (0..<200).map { number in
        let isPositive = number >= 100
        return (
            cluster: "\(number / 10)",
            scores: ScoredTrial(score: Double(number), isRight: isPositive, isPositive: isPositive)
        )
    }
    let separation = try #require(ScoreSeparation(clean))
    let estimate = try #require(separation.equalErrorRate(ClusterBootstrap(resamples: 99, seed: 1)))
    let squared = 2.262_157_162_740_992 * 2.262_157_162_740_992
    #expect(estimate.clusters == 10)
    #expect(agree(estimate.interval.upper, squared / (100 + squared), tolerance: 1e-9))
}

@Test func oneKindOfTrialHasNoCurve() {
    let positive = ScoredTrial(score: 1, isRight: true, isPositive: true)
    let negative = ScoredTrial(score: 1, isRight: false, isPositive: false)
    #expect(DetectionCurve([ScoredTrial]()) == nil)
    #expect(DetectionCurve([positive]) == nil)
    #expect(DetectionCurve([negative]) == nil)
    #expect(ScoreSeparation([(cluster: "a", scores: positive)]) == nil)
    // Without answers to negatives, the rates never meet, and any threshold keeps every rate.
    let silent = ScoredTrial(isPositive: false, rightScore: nil, wrongScore: nil)
    let curve = DetectionCurve([positive, silent])
    #expect(curve?.points.last?.missRate == 0 && curve?.equalErrorRate == 0)
}

@Test func probitsOfTheNormalAreStraight() {
    for z in stride(from: -8.0, through: 8, by: 0.25) {
        let p = NormalDistribution.cumulative(z)
        // Near 1 a probability has few digits left for its distance from 1.
        let tolerance = z > 0 ? 1e-15 / (1 - p) : 1e-13
        #expect(abs(NormalDistribution.quantile(p) - z) < max(1e-13, tolerance), "\(z)")
    }
}
