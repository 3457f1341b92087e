import Metrics
import Testing

private let trials = [
    ScoredTrial(isPositive: true, rightScore: 50, wrongScore: nil),
    ScoredTrial(isPositive: true, rightScore: 31, wrongScore: 20),
    ScoredTrial(isPositive: true, rightScore: nil, wrongScore: 40),
    ScoredTrial(isPositive: false, rightScore: nil, wrongScore: 30),
    ScoredTrial(isPositive: false, rightScore: nil, wrongScore: nil),
]

@Test(arguments: [(nil, 2, 1, 1), (29, 2, 1, 1), (30, 2, 0, 1), (31, 1, 0, 1), (40, 1, 0, 0), (50, 0, 0, 0)])
func aCarriedThresholdGivesFalseAccepts(above: Double?, right: Int, falseAccepts: Int, wrong: Int) {
    let carried = CarriedThreshold(trials, above: above)
    #expect(carried.recall == Proportion(right, of: 3))
    #expect(carried.falseAccepts == Proportion(falseAccepts, of: 2))
    #expect(carried.wrongReferences == wrong && carried.above == above)
}

@Test func aHigherWrongScoreIsTheClaim() {
    let trial = ScoredTrial(isPositive: true, rightScore: 5, wrongScore: 8)
    let carried = CarriedThreshold([trial], above: 3)
    #expect(carried.recall == Proportion(0, of: 1) && carried.wrongReferences == 1)
}
