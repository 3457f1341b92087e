import AudioCore
import Foundation
import Metrics
import Testing

@Suite struct DetectionCostTests {
    private static let priors = [0.5, 0.1, 0.01, 0.001]

    /// Normal log-likelihood ratios of mean ±d²/2 and variance d², which are calibrated.
    private func calibrated(_ count: Int, separation d: Double, seed: UInt64) -> (
        targets: [Double], others: [Double]
    ) {
        var generator = SeededGenerator(seed: seed, "llr")
        func draw(_ sign: Double) -> [Double] {
            (0..<count).map { _ in
                sign * d * d / 2 + d * NormalDistribution.quantile(generator.uniform(in: 1e-9...1))
            }
        }
        return (draw(1), draw(-1))
    }

    private func isClose(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) < 1e-12 } ?? false
    }

    @Test func costsByHand() {
        let (targets, others) = ([2.0, 0], [1.0, -1])
        // Accepting from 0 loses nothing and accepts one of two.
        #expect(isClose(DetectionCost.actual(targets: targets, others: others, prior: 0.5), 0.5))
        // Bayes' threshold is ln 99 = 4.6, which nothing reaches.
        #expect(isClose(DetectionCost.actual(targets: targets, others: others, prior: 0.01), 1))
        // From 2 on: half of the targets and no false accept.
        #expect(isClose(DetectionCost.minimum(targets: targets, others: others, prior: 0.01), 0.5))
        #expect(isClose(DetectionCost.minimum(targets: targets, others: others, prior: 0.5), 0.5))
        // The steps have the shares 0, ½, 1, which are log-likelihood ratios of −∞, 0, ∞.
        #expect(
            isClose(DetectionCost.minimumLogLikelihoodRatioCost(targets: targets, others: others), 0.5))
        #expect(
            isClose(
                DetectionCost.logLikelihoodRatioCost(targets: [log(3), log(3)], others: [-log(3)]),
                log2(4.0 / 3)))
        #expect(isClose(DetectionCost.normalized(missRate: 0.2, falseAcceptRate: 0.001, prior: 0.01), 0.299))
    }

    @Test func noInformationCostsOneBit() {
        let (targets, others) = ([0.0, 0, 0], [0.0, 0])
        #expect(isClose(DetectionCost.logLikelihoodRatioCost(targets: targets, others: others), 1))
        #expect(isClose(DetectionCost.minimumLogLikelihoodRatioCost(targets: targets, others: others), 1))
        for prior in Self.priors {
            #expect(isClose(DetectionCost.minimum(targets: targets, others: others, prior: prior), 1))
        }
    }

    @Test func separatedScoresCostNothing() {
        let (targets, others) = ([3.0, 5, .infinity], [1.0, -.infinity])
        #expect(DetectionCost.minimumLogLikelihoodRatioCost(targets: targets, others: others) == 0)
        #expect(DetectionCost.minimum(targets: targets, others: others, prior: 0.001) == 0)
        #expect(DetectionCost.logLikelihoodRatioCost(targets: [.infinity], others: [-.infinity]) == 0)
        #expect(DetectionCost.logLikelihoodRatioCost(targets: [-.infinity], others: [0]) == .infinity)
    }

    @Test(arguments: [0.5, 1.5, 3]) func theMinimumIsTheLeastAndIgnoresTheScale(_ d: Double) throws {
        let (targets, others) = calibrated(400, separation: d, seed: 3)
        func stretched(_ values: [Double]) -> [Double] { values.map { 5 * $0 + 7 } }
        for prior in Self.priors {
            let least = try #require(DetectionCost.minimum(targets: targets, others: others, prior: prior))
            for shift in [-3.0, 0, 3] {
                let cost = try #require(
                    DetectionCost.actual(
                        targets: targets.map { $0 + shift }, others: others.map { $0 + shift }, prior: prior))
                #expect(least <= cost + 1e-12 && least <= 1)
            }
            #expect(
                DetectionCost.minimum(targets: stretched(targets), others: stretched(others), prior: prior)
                    == least)
        }
        let least = try #require(
            DetectionCost.minimumLogLikelihoodRatioCost(targets: targets, others: others))
        let own = try #require(DetectionCost.logLikelihoodRatioCost(targets: targets, others: others))
        let bad = try #require(
            DetectionCost.logLikelihoodRatioCost(targets: stretched(targets), others: stretched(others)))
        #expect(least <= own && own < bad)
        #expect(
            DetectionCost.minimumLogLikelihoodRatioCost(
                targets: stretched(targets), others: stretched(others))
                == least)
    }

    /// Of calibrated ratios the isotonic fit can win only what it learns by heart.
    @Test func calibratedRatiosCostLittleMoreThanTheMinimum() throws {
        let (targets, others) = calibrated(4000, separation: 2, seed: 5)
        let own = try #require(DetectionCost.logLikelihoodRatioCost(targets: targets, others: others))
        let least = try #require(
            DetectionCost.minimumLogLikelihoodRatioCost(targets: targets, others: others))
        #expect(own - least < 0.02, "\(own) \(least)")
    }

    @Test func oneKindAloneHasNoCost() {
        #expect(DetectionCost.actual(targets: [1], others: [], prior: 0.5) == nil)
        #expect(DetectionCost.minimum(targets: [], others: [1], prior: 0.5) == nil)
        #expect(DetectionCost.logLikelihoodRatioCost(targets: [], others: []) == nil)
        #expect(DetectionCost.minimumLogLikelihoodRatioCost(targets: [1], others: []) == nil)
    }

    @Test func ranksByHand() {
        let ranks = [1, 3, nil, 2, 11]
        #expect(RankedRetrieval.hits(ranks, within: 1) == 1 && RankedRetrieval.hits(ranks, within: 3) == 3)
        #expect(isClose(RankedRetrieval.meanReciprocalRank(ranks), (1 + 1 / 3.0 + 0 + 0.5 + 1 / 11.0) / 5))
        #expect(RankedRetrieval.meanReciprocalRank([]) == nil)
    }
}
