import Studies
import Testing

@Suite struct HaltonSequenceTests {
    @Test(arguments: [(0, 2), (1, 3), (2, 5), (5, 13)])
    func everyIntervalOfABaseHoldsOnePoint(_ dimension: Int, _ base: Int) {
        for seed: UInt64 in 1...5 {
            let sequence = HaltonSequence(dimensions: 6, seed: seed)
            var count = base
            while count <= 2000 {
                let cells = (0..<count).map { Int(sequence.point($0)[dimension] * Double(count) + 1e-9) }
                #expect(Set(cells).count == count, "base \(base), \(count) points, seed \(seed)")
                count *= base
            }
        }
    }

    @Test func pointsDependOnTheSeedAlone() {
        let points = (0..<50).map(HaltonSequence(dimensions: 17, seed: 3).point)
        #expect(points == (0..<50).map(HaltonSequence(dimensions: 17, seed: 3).point))
        #expect(points != (0..<50).map(HaltonSequence(dimensions: 17, seed: 4).point))
        #expect(points.joined().allSatisfy { 0 <= $0 && $0 < 1 })
        #expect(points.allSatisfy { $0.count == 17 })
    }

    /// Without random digits, neighbouring large bases rise together: a known flaw of the Halton sequence.
    @Test func largeBasesAreNotCorrelated() {
        var worst = 0.0
        for seed: UInt64 in 1...20 {
            let sequence = HaltonSequence(dimensions: 17, seed: seed)
            let points = (0..<50).map(sequence.point)
            worst = max(worst, abs(correlation(points.map { $0[15] }, points.map { $0[16] })))
        }
        #expect(worst < 0.6)
        #expect(abs(correlation((0..<50).map { Double($0) / 53 }, (0..<50).map { Double($0) / 59 })) > 0.99)
    }

    private func correlation(_ a: [Double], _ b: [Double]) -> Double {
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        let (x, y) = (a.map { $0 - mean(a) }, b.map { $0 - mean(b) })
        return mean(zip(x, y).map(*)) / (mean(zip(x, x).map(*)) * mean(zip(y, y).map(*))).squareRoot()
    }
}
