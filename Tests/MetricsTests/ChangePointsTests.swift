import Metrics
import Testing

@Suite struct ChangePointsTests {
    /// Fixed random numbers in 0..<1 (SplitMix64).
    private static func noise(_ count: Int, seed: UInt64) -> [Double] {
        var state = seed
        return (0..<count).map { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return Double((z ^ (z >> 31)) >> 11) / Double(1 << 53)
        }
    }

    @Test(arguments: [0, 1, 2, 7, 40])
    func aConstantSeriesNeverChanges(count: Int) {
        let found = ChangePoints(Array(repeating: 0.97, count: count))
        #expect(found.changes.isEmpty)
        #expect(found.levels.count == count)
    }

    @Test func noiseHasFalseChangesAtTheStatedLevel() {
        let found = (0..<300).count { seed in
            !ChangePoints(Self.noise(24, seed: UInt64(seed)), seed: UInt64(seed)).changes.isEmpty
        }
        // 5 % of 300 is 15; 26 is exceeded once in 300 such tests.
        #expect(found <= 26)
        #expect(found >= 4)
    }

    @Test(arguments: [5, 8, 12, 15])
    func aStepIsFoundWhereItIs(at place: Int) throws {
        let series = Self.noise(20, seed: 3).enumerated().map {
            $0.element * 0.1 + ($0.offset < place ? 0 : 1)
        }
        let change = try #require(ChangePoints(series).changes.first)
        #expect(ChangePoints(series).changes.count == 1)
        #expect(change.index == place)
        #expect(abs(change.before - 0.05) < 0.03)
        #expect(abs(change.after - 1.05) < 0.03)
        #expect(change.probability <= 0.05)
    }

    @Test func bothOfTwoStepsAreFound() {
        let series = Self.noise(36, seed: 8).enumerated().map { index, value in
            value * 0.2 + (12..<24 ~= index ? 1.0 : 0)
        }
        let found = ChangePoints(series)
        #expect(found.changes.map(\.index) == [12, 24])
        #expect(Set(found.levels).count == 3)
        #expect(found.levels[12] == found.changes[0].after)
    }

    @Test func theUnitDoesNotMatter() {
        let series = Self.noise(30, seed: 5).enumerated().map { $0.element + ($0.offset < 11 ? 0 : 0.8) }
        let places = ChangePoints(series).changes.map(\.index)
        #expect(places == [11])
        #expect(ChangePoints(series.map { $0 * -4096 + 512 }).changes.map(\.index) == places)
    }

    @Test func sevenFiguresAreTooFew() {
        #expect(ChangePoints([0, 0, 0, 1, 1, 1, 1]).changes.isEmpty)
        #expect(ChangePoints([0, 0, 0, 0, 1, 1, 1, 1]).changes.map(\.index) == [4])
    }

    @Test func oneOutlierIsNoChange() {
        #expect(ChangePoints([1, 1, 1, 1, 9, 1, 1, 1, 1, 1]).changes.isEmpty)
    }
}
