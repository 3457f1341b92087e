import AudioCore
import Foundation
import Metrics
import Testing

@Suite struct ClusteredRatioTests {
    @Test func theRatioIsThatOfTheSums() throws {
        let ratio = Self.ratio(("a", 1, 4), ("a", 2, 2), ("b", 3, 6))
        #expect(ratio.value == 0.5)
        // Both recordings have the ratio of all.
        let exact = try #require(ratio.interval())
        #expect(exact.lower == 0.5 && exact.upper == 0.5)
        #expect(Self.ratio().value == nil && Self.ratio(("a", 1, 0)).value == nil)
        #expect(Self.ratio(("a", 1, 2)).interval() == nil)
        #expect(Self.ratio(("a", 0, 2), ("b", 0, 1)).interval() == nil)
    }

    private static func ratio(_ pairs: (cluster: String, first: Double, second: Double)...) -> ClusteredRatio
    {
        ClusteredRatio(pairs)
    }

    @Test func theIntervalCoversAsStated() throws {
        var (covered, wide) = (0, 0)
        for number in 0..<1_000 {
            var generator = SeededGenerator(seed: 3, "\(number)")
            let pairs = (0..<20).flatMap { cluster -> [(cluster: String, first: Double, second: Double)] in
                let size = exp(generator.uniform(in: -1...1))
                return (0..<4).map { _ in
                    ("\(cluster)", size * generator.uniform(in: 0...2), size * generator.uniform(in: 1...3))
                }
            }
            let ratio = ClusteredRatio(pairs)
            let (narrow, broad) = (
                try #require(ratio.interval()), try #require(ratio.interval(confidence: 0.99))
            )
            if narrow.contains(0.5) { covered += 1 }
            if broad.lower < narrow.lower, broad.upper > narrow.upper { wide += 1 }
        }
        #expect((915...985).contains(covered))
        #expect(wide == 1_000)
    }
}
