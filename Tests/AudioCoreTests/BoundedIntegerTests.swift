import AudioCore
import Testing

/// Whole numbers of floating-point numbers of which nothing is known.
@Suite struct BoundedIntegerTests {
    @Test func noNumberTraps() {
        let most = 1 << 53
        for (value, expected) in [
            (0, 0), (1.9, 1), (-1.9, -1), (-0.0, 0), (5e-324, 0), (0x1p53, most), (0x1p53 - 1, most - 1),
            (-0x1p53, -most), (1e19, most), (-1e19, -most), (1e308, most), (.infinity, most),
            (-.infinity, -most), (.nan, 0), (.signalingNaN, 0),
        ] as [(Double, Int)] {
            #expect(Int(bounded: value) == expected, "\(value)")
            #expect(Int32(bounded: value) == Int32(clamping: expected), "\(value)")
            #expect(UInt8(bounded: value) == UInt8(clamping: expected), "\(value)")
            #expect(UInt64(bounded: value) == UInt64(clamping: expected), "\(value)")
        }
        #expect(Int(bounded: Float.infinity) == most && Int(bounded: Float.nan) == 0)
    }

    /// Where `Int(_:)` has a value within the bounds, it is the same.
    @Test func knownNumbersAreAsEver() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<10_000 {
            let value = generator.uniform(in: -1...1) * 0x1p52
            #expect(Int(bounded: value) == Int(value))
            #expect(Int(bounded: Float(value)) == Int(Float(value)))
        }
    }
}
