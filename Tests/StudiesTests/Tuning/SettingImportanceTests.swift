import Matchers
import Studies
import Testing

@Suite struct SettingImportanceTests {
    /// That of settings from 0 to 1.
    private static func importance(
        _ names: [String], _ points: [[Double]], values: [Double]
    ) -> [SettingImportance] {
        SettingImportance.of(
            names.map { TunableSetting(name: $0, in: 0...1, standard: 0, summary: "") },
            settings: points.map { Dictionary(uniqueKeysWithValues: zip(names, $0)) }, values: values)
    }

    @Test func aCurveFollowsTheValueAndAChoiceHasAPointForEachWord() throws {
        let points = (0..<600).map(HaltonSequence(dimensions: 1, seed: 1).point)
        let curve = try #require(Self.importance(["a"], points, values: points.map { $0[0] }).first).curve
        #expect(curve.count == 5 && curve.reduce(0) { $0 + $1.candidates } == 600)
        for point in curve { #expect(abs(point.value - point.recall) < 0.02) }
        let words = TunableSetting(name: "w", choices: ["a", "b", "c"], standard: 0, summary: "")
        let settings = points.map { ["w": words.value(at: $0[0])] }
        let chosen = try #require(
            SettingImportance.of([words], settings: settings, values: settings.map { $0["w"] == 1 ? 1 : 0 })
                .first)
        #expect(chosen.curve.map(\.value) == [0, 1, 2] && chosen.curve.map(\.recall) == [0, 1, 0])
        #expect(chosen.share > 0.99)
    }

    /// The sum of 3 a + b of two uniform variables has 9/10 and 1/10 of its variance from each.
    @Test func sharesOfASumAreThoseOfItsVariance() throws {
        let points = (0..<2000).map(HaltonSequence(dimensions: 3, seed: 1).point)
        let shares = Self.importance(["a", "b", "c"], points, values: points.map { 3 * $0[0] + $0[1] })
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
        let shares = Self.importance(["a", "b", "c", "d"], points, values: noise)
        #expect(shares.allSatisfy { $0.share < 0.2 })
    }

    @Test func tooFewCandidatesTellNothing() {
        let points = (0..<11).map(HaltonSequence(dimensions: 1, seed: 1).point)
        #expect(Self.importance(["a"], points, values: points.map { $0[0] }).isEmpty)
        let more = (0..<30).map(HaltonSequence(dimensions: 1, seed: 1).point)
        #expect(Self.importance(["a"], more, values: more.map { _ in 1 }).isEmpty)
    }
}
