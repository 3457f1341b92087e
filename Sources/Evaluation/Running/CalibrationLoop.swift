/// A fixed piece of work of about 1 ms, to compare latencies of two machines or two moments.
///
/// Half of it is arithmetic on short blocks; half is unpredictable reads in 8 MB, as in a look-up. Compare only
/// the ratio of a latency to it.
package enum CalibrationLoop {
    private static let words = 1 << 21
    private static let table: [UInt32] = {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<words).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt32(truncatingIfNeeded: state >> 33)
        }
    }()

    /// Does the work once and returns its time in milliseconds.
    package static func milliseconds() -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let sum = table.withUnsafeBufferPointer { table in
            var place: UInt32 = 1
            var sum: Float = 0
            for step in 0..<10_000 {
                place = table[Int(place &+ UInt32(truncatingIfNeeded: step)) & (words - 1)]
                sum += Float(place & 0xFF)
            }
            for block in 0..<2_000 {
                let start = (block * 1_024) & (words - 1)
                var part: Float = 0
                for index in 0..<128 { part += Float(table[start + index] & 0xFF) * 0.5 }
                sum += part
            }
            return sum
        }
        let milliseconds = (clock.now - start).seconds * 1000
        // Using the sum keeps the compiler from removing the work.
        return sum.isNaN ? .nan : milliseconds
    }
}
