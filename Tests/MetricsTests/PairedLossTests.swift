import AudioCore
import Foundation
import Metrics
import Testing

@Suite struct PairedLossTests {
    /// Without wins the test is the binomial one; values of SciPy.
    @Test(arguments: [
        (29, 1936, 0.01, 0.0235360482), (28, 1936, 0.01, 0.0372121047), (3, 184, 0.03, 0.9160856253),
    ])
    func lossesAloneAreBinomial(_ lost: Int, _ trials: Int, _ margin: Double, _ expected: Double) {
        let probability = PairedLoss(lost: lost, won: 0, of: trials).probability(beyond: margin)
        #expect(abs(probability - expected) < 1e-9, "\(probability)")
    }

    /// At no loss, changes have a fair chance of either direction.
    @Test func withoutAMarginItIsNearTheSignTest() {
        let probability = PairedLoss(lost: 20, won: 8, of: 2000).probability(beyond: 0)
        #expect(abs(probability - 0.0178) < 0.006, "\(probability)")
        #expect(PairedLoss(lost: 10, won: 10, of: 2000).probability(beyond: 0) > 0.5)
        #expect(PairedLoss(lost: 0, won: 0, of: 2000).probability(beyond: 0) == 1)
    }

    /// The margin of a rate that is 0 in the baseline is its bound: ten of 729 are beyond it, and one is not.
    @Test(arguments: [(1, false), (2, false), (6, false), (10, true), (14, true)])
    func rareMistakesAreJudgedByTheirBound(_ lost: Int, _ isBeyond: Bool) throws {
        let margin = try #require(Proportion(0, of: 729).upperBound())
        #expect(abs(margin - 0.0037) < 1e-4)
        let probability = PairedLoss(lost: lost, won: 0, of: 729).probability(beyond: margin)
        #expect((probability <= 0.05) == isBeyond, "\(probability)")
    }

    /// The level over all outcomes of a true net loss at the margin.
    @Test(arguments: [
        (40, 0.1, 0.0), (40, 0.1, 0.05), (22, 0.2, 0.02), (120, 0.02, 0.02), (16, 0.1, 0.01), (22, 0.1, 0.02),
        (65, 0.1, 0.01), (184, 0.0145, 0.002), (184, 0.0145, 0.01),
    ])
    func theLevelIsKept(_ n: Int, _ margin: Double, _ win: Double) {
        var rejected = 0.0
        for won in 0...min(n, 20) {
            // More losses have a probability below 1e-6.
            for lost in 0...min(n - won, 45) {
                let change = PairedLoss(lost: lost, won: won, of: n)
                guard change.loss > margin, change.probability(beyond: margin) <= 0.05 else { continue }
                rejected += Self.probability(lost, won, of: n, win + margin, win)
            }
        }
        #expect(rejected <= 0.05 && rejected > 0.003, "\(rejected)")
    }

    @Test func theIntervalHoldsWhatTheTestDoes() throws {
        for (lost, won) in [(0, 0), (29, 0), (60, 60), (3, 40), (39, 20)] {
            let change = PairedLoss(lost: lost, won: won, of: 1936)
            let interval = try #require(change.interval(significance: 0.05))
            #expect(interval.contains(change.loss))
            #expect(change.probability(beyond: interval.lower - 1e-6) < 0.05)
            #expect(change.probability(beyond: interval.lower + 1e-6) > 0.05)
            #expect(change.probability(below: interval.upper + 1e-6) < 0.05)
            let mirror = try #require(change.reversed.interval(significance: 0.05))
            #expect(abs(mirror.lower + interval.upper) < 1e-9 && abs(mirror.upper + interval.lower) < 1e-9)
        }
        #expect(PairedLoss(lost: 0, won: 0, of: 0).interval(significance: 0.05) == nil)
    }

    @Test func onlyChangesThatComeTogetherGetADesignEffect() {
        func change(_ isLost: (Int, Int) -> Bool) -> PairedLoss {
            PairedLoss(
                (0..<22).flatMap { recording in
                    (0..<88).map { (cluster: "\(recording)", before: true, after: !isLost(recording, $0)) }
                })
        }
        #expect(change { $1 < 2 && $0 < 20 }.designEffect == 1)
        let together = change { recording, query in recording < 4 && query < 10 }
        #expect(together.designEffect > 3)
        let apart = PairedLoss(lost: 40, won: 0, of: 22 * 88)
        #expect(together.probability(beyond: 0.01) > 10 * apart.probability(beyond: 0.01))
        // One recording by itself has no others to differ from.
        #expect(PairedLoss((0..<88).map { ("a", true, $0 > 20) }).designEffect == 1)
    }

    @Test func aDesignEffectIsSeldomSeenByChance() {
        var generator = SeededGenerator(seed: 3, "dispersion")
        let seen = (0..<400).count { _ in
            PairedLoss(
                (0..<1936).map { trial in
                    let draw = generator.unit()
                    return (
                        cluster: "\(trial % 22)", before: draw >= 0.02, after: draw < 0.02 || draw >= 0.04
                    )
                }
            ).designEffect > 1
        }
        #expect(seen <= 12)
    }

    /// Sets with too few changes to be significant cost nothing.
    @Test func testsThatCannotBeSignificantDoNotCount() {
        let idle = [Double](repeating: 0.5, count: 100)
        let adjusted = Holm.adjusted([0.004] + idle, least: [0.001] + idle, significance: 0.05)
        #expect(adjusted[0] == 0.004 && adjusted.dropFirst().allSatisfy { $0 == nil })
        let two = Holm.adjusted([0.004, 0.02, 0.5], least: [0.001, 0.002, 0.5], significance: 0.05)
        #expect(two == [0.008, 0.02, nil])
        #expect(Holm.adjusted([], least: [], significance: 0.05) == [])
    }

    private static func probability(_ lost: Int, _ won: Int, of n: Int, _ loss: Double, _ win: Double)
        -> Double
    {
        func factorial(_ value: Int) -> Double { (1...max(1, value)).reduce(0) { $0 + log(Double($1)) } }
        func power(_ rate: Double, _ count: Int) -> Double { count == 0 ? 0 : Double(count) * log(rate) }
        let rest = n - lost - won
        return exp(
            factorial(n) - factorial(lost) - factorial(won) - factorial(rest) + power(loss, lost)
                + power(win, won) + power(1 - loss - win, rest))
    }
}
