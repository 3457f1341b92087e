/// The base-2 logarithm of many positive floats at once, by exponent bits and a polynomial.
package enum BinaryLogarithm {
    /// Replaces `values` by log2(value + floor), in place; `count` is a multiple of 8.
    ///
    /// Absolute error below 0.00002 (plus rounding). Values must be finite and not negative.
    @inline(__always)
    static func apply(_ values: UnsafeMutablePointer<Float>, count: Int, floor: Float) {
        let raw = UnsafeMutableRawPointer(values)
        for byte in stride(from: 0, to: count * 4, by: 32) {
            let value = raw.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self) + floor
            raw.storeBytes(of: log2(value), toByteOffset: byte, as: SIMD8<Float>.self)
        }
    }

    /// log2 of eight positive, finite, normal floats.
    @inline(__always)
    package static func log2(_ value: SIMD8<Float>) -> SIMD8<Float> {
        let bits = unsafeBitCast(value, to: SIMD8<Int32>.self)
        let exponent = SIMD8<Float>((bits &>> 23) &- 127)
        let mantissa = unsafeBitCast((bits & 0x007F_FFFF) | 0x3F80_0000, to: SIMD8<Float>.self) - 1
        // log2(1 + x) on 0 ≤ x < 1 as x times a quartic; exact at both ends, so there is no step at powers of 2.
        let x = mantissa
        var polynomial = SIMD8<Float>(repeating: 0.045_148_81)
        polynomial = polynomial * x - 0.193_575_04
        polynomial = polynomial * x + 0.415_605_42
        polynomial = polynomial * x - 0.709_096_2
        polynomial = polynomial * x + 1.441_917_01
        return exponent + x * polynomial
    }
}
