import AudioCore
import Metrics
import Testing

/// Binomial tails of up to a million trials; each tail has its own continued fraction.
private let tailTolerance = 1e-11

@Test func binomialTailsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().binomialTails
    try #require(cases.count >= 20)
    for reference in cases {
        let distribution = BinomialDistribution(trials: reference.trials, rate: reference.rate)
        let (below, above) = (
            distribution.atMost(reference.successes), distribution.atLeast(reference.successes)
        )
        #expect(agreeRelatively(below, reference.atMost, tolerance: tailTolerance), "\(reference) \(below)")
        #expect(agreeRelatively(above, reference.atLeast, tolerance: tailTolerance), "\(reference) \(above)")
    }
}

@Test func binomialTailsAddUp() {
    for trials in [1, 2, 7, 60] {
        for rate in [0, 0.01, 0.3, 0.5, 0.98, 1] {
            let distribution = BinomialDistribution(trials: trials, rate: rate)
            for successes in 0...trials {
                let whole = distribution.atMost(successes) + distribution.atLeast(successes + 1)
                #expect(agree(whole, 1, tolerance: 1e-14))
            }
        }
    }
}

@Test func pairedComparisonsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().pairs
    try #require(cases.count >= 5)
    for reference in cases {
        let comparison = PairedComparison(
            pairs(3, 4, onlyBefore: reference.onlyBefore, onlyAfter: reference.onlyAfter))
        #expect(comparison.both == 3 && comparison.neither == 4)
        #expect(comparison.onlyBefore == reference.onlyBefore && comparison.onlyAfter == reference.onlyAfter)
        #expect(
            agreeRelatively(comparison.exactProbability, reference.probability, tolerance: tailTolerance))
    }
}

@Test func significanceNeedsSixChangesInOneDirection() {
    let six = PairedComparison(pairs(100, 0, onlyBefore: 6, onlyAfter: 0))
    let five = PairedComparison(pairs(100, 0, onlyBefore: 0, onlyAfter: 5))
    #expect(agree(six.exactProbability, 0.03125, tolerance: 1e-15))
    #expect(agree(five.exactProbability, 0.0625, tolerance: 1e-15))
    #expect(PairedComparison(pairs(7, 9, onlyBefore: 0, onlyAfter: 0)).exactProbability == 1)
    #expect(PairedComparison(pairs(0, 0, onlyBefore: 4, onlyAfter: 4)).exactProbability == 1)
}

@Test func holmAgreesWithSciPyAndKeepsTheOrder() throws {
    for reference in try ReferenceValues.load().holm {
        let adjusted = Holm.adjusted(reference.probabilities)
        try #require(adjusted.count == reference.adjusted.count)
        for (value, expected) in zip(adjusted, reference.adjusted) {
            #expect(agree(value, expected, tolerance: 1e-15))
        }
    }
    #expect(Holm.adjusted([]) == [])
    #expect(Holm.adjusted([0.04, 0.01, 0.9]) == [0.08, 0.03, 0.9])
}

@Test func signFlipsByHand() {
    // Of the 8 ways to set the signs of 3, 2 and 1 only +++ and −−− reach 6.
    let test = SignFlipTest(
        [("a", 3), ("b", 2), ("c", 1)].map { (cluster: $0.0, difference: $0.1) }, seed: 1)
    #expect(test.probability == 0.25)
    #expect(test.mean == 2 && test.clusters == 3 && test.changedClusters == 3)
    // A total of 4 is reached by 3 + 2 − 1 too.
    let level = SignFlipTest(
        [("a", 3), ("b", 2), ("c", -1)].map { (cluster: $0.0, difference: $0.1) }, seed: 1)
    #expect(level.probability == 0.5)
    let nothing = SignFlipTest(
        [("a", 1), ("a", -1), ("b", 0)].map { (cluster: $0.0, difference: $0.1) }, seed: 1)
    #expect(nothing.probability == 1 && nothing.changedClusters == 0 && nothing.clusters == 2)
    #expect(SignFlipTest([(cluster: String, difference: Double)](), seed: 1).probability == 1)
}

@Test func signFlipsAgreeWithSciPy() throws {
    let cases = try ReferenceValues.load().signFlips
    try #require(cases.count >= 3)
    for reference in cases {
        let differences = reference.differences.enumerated().map { (cluster: "\($0)", difference: $1) }
        let test = SignFlipTest(differences, permutations: 99_999, seed: 5)
        // Full counts agree exactly. Drawn ones have a standard error of √(p/n) on each side.
        let isDrawn = reference.differences.count > SignFlipTest.mostEnumerated
        let tolerance = isDrawn ? 4 * (2 * reference.probability / 99_999).squareRoot() : 1e-12
        #expect(abs(test.probability - reference.probability) <= tolerance, "\(reference) \(test)")
    }
}

@Test func signFlipsDependOnlyOnTheSeed() {
    var generator = SeededGenerator(seed: 4)
    let differences = (0..<300).map {
        (cluster: "\($0 % 40)", difference: generator.uniform(in: -1...1.1))
    }
    let first = SignFlipTest(differences, seed: 9)
    #expect(SignFlipTest(differences.shuffled(using: &generator), seed: 9) == first)
    #expect(SignFlipTest(differences, seed: 10).probability != first.probability)
}

/// Without an effect, 5 % of tests are below 0.05, even if trials of one cluster agree.
@Test func signFlipsKeepTheirLevel() {
    var generator = SeededGenerator(seed: 12)
    let rounds = 1000
    var flips = 0
    var pairs = 0
    for round in 0..<rounds {
        var differences: [(cluster: String, difference: Double)] = []
        for cluster in 0..<30 {
            let shift = Double(generator.index(below: 3) - 1)
            for _ in 0..<10 { differences.append(("\(cluster)", generator.unit() < 0.3 ? shift : 0)) }
        }
        if SignFlipTest(differences, permutations: 999, seed: UInt64(round)).probability <= 0.05 {
            flips += 1
        }
        let comparison = PairedComparison(
            differences.map { (before: $0.difference < 0, after: $0.difference > 0) })
        if comparison.exactProbability <= 0.05 { pairs += 1 }
    }
    // Three standard errors of 1,000 draws are 2.1 %.
    #expect(abs(Double(flips) / Double(rounds) - 0.05) < 0.021, "\(flips)")
    // A test that takes the trials as independent would be below 0.05 several times as often.
    #expect(Double(pairs) / Double(rounds) > 0.15, "\(pairs)")
}

private func pairs(_ both: Int, _ neither: Int, onlyBefore: Int, onlyAfter: Int) -> [(
    before: Bool, after: Bool
)] {
    [
        (both, (true, true)), (neither, (false, false)), (onlyBefore, (true, false)),
        (onlyAfter, (false, true)),
    ].flatMap { count, pair in (0..<count).map { _ in (before: pair.0, after: pair.1) } }
}
