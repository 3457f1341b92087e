import Studies
import Testing

@Suite struct SettingImportanceTests {
    /// The sum of 3 a + b of two uniform variables has 9/10 and 1/10 of its variance from each.
    @Test func sharesOfASumAreThoseOfItsVariance() throws {
        let points = (0..<2000).map(HaltonSequence(dimensions: 3, seed: 1).point)
        let shares = SettingImportance.of(
            names: ["a", "b", "c"], points: points, values: points.map { 3 * $0[0] + $0[1] })
        #expect(shares.map(\.name) == ["a", "b", "c"])
        // Five ranges see 24/25 of the variance of an even variable; ranks bend the sum a little.
        let tolerance = 0.06
        for (share, expected) in zip(shares, [0.9, 0.1, 0]) {
            #expect(abs(share.share - expected) < tolerance)
        }
    }

    @Test func noSettingMattersInNoise() {
        let points = (0..<60).map(HaltonSequence(dimensions: 4, seed: 2).point)
        let noise = (0..<60).map { HaltonSequence(dimensions: 5, seed: 77).point(59 - $0)[4] }
        let shares = SettingImportance.of(names: ["a", "b", "c", "d"], points: points, values: noise)
        #expect(shares.allSatisfy { $0.share < 0.2 })
    }

    @Test func tooFewCandidatesTellNothing() {
        let points = (0..<11).map(HaltonSequence(dimensions: 1, seed: 1).point)
        #expect(SettingImportance.of(names: ["a"], points: points, values: points.map { $0[0] }).isEmpty)
        let more = (0..<30).map(HaltonSequence(dimensions: 1, seed: 1).point)
        #expect(SettingImportance.of(names: ["a"], points: more, values: more.map { _ in 1 }).isEmpty)
    }
}
