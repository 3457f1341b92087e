/// The checksum of signature and catalog files: several gigabytes a second, and it detects every flipped bit.
///
/// With all arithmetic modulo 2^64, `rotate(x, n)` the rotation of x to the left by n bits, and
/// P = 0x9E3779B97F4A7C15 (odd):
///
/// 1. Zeros pad the bytes to a multiple of 64. They are little-endian words w₀, w₁, … of 8 bytes.
/// 2. Eight lanes start at hᵢ = (i + 1) · 0xD6E8FEB86659FD93, i = 0 … 7.
/// 3. Word wⱼ goes to lane i = j mod 8: hᵢ ← rotate((hᵢ xor wⱼ) · P, 29).
/// 4. The result starts as the number of bytes without the zeros, r. For i = 0 … 7: r ← rotate((r xor hᵢ) · P, 29).
/// 5. Finally r ← r xor (r >> 32); r ← r · 0xD6E8FEB86659FD93; r ← r xor (r >> 32).
///
/// Every step is one-to-one in its word and in its state. So inputs of one length that differ in one word always have
/// different checksums. Any other difference is missed with a chance of about 2^−64. It is no defence against forgery.
package enum BlockChecksum {
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let seed: UInt64 = 0xD6E8_FEB8_6659_FD93

    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var lanes = Lanes()
        let wholeGroups = bytes.count / 64
        if let base = bytes.baseAddress {
            for group in 0..<wholeGroups { lanes.take(base + 64 * group) }
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(64 * wholeGroups)...])
        if !rest.isEmpty {
            withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { padded in
                padded.initializeMemory(as: UInt8.self, repeating: 0)
                padded.copyMemory(from: rest)
                if let base = padded.baseAddress { lanes.take(UnsafeRawPointer(base)) }
            }
        }
        return lanes.result(length: UInt64(bytes.count))
    }

    @inline(__always)
    private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* multiplier
        return product << 29 | product >> 35
    }

    /// Eight chains that do not depend on each other.
    private struct Lanes {
        private var h0 = seed
        private var h1 = 2 &* seed
        private var h2 = 3 &* seed
        private var h3 = 4 &* seed
        private var h4 = 5 &* seed
        private var h5 = 6 &* seed
        private var h6 = 7 &* seed
        private var h7 = 8 &* seed

        @inline(__always)
        mutating func take(_ group: UnsafeRawPointer) {
            h0 = mix(h0, Self.word(group, 0))
            h1 = mix(h1, Self.word(group, 8))
            h2 = mix(h2, Self.word(group, 16))
            h3 = mix(h3, Self.word(group, 24))
            h4 = mix(h4, Self.word(group, 32))
            h5 = mix(h5, Self.word(group, 40))
            h6 = mix(h6, Self.word(group, 48))
            h7 = mix(h7, Self.word(group, 56))
        }

        @inline(__always)
        private static func word(_ group: UnsafeRawPointer, _ byte: Int) -> UInt64 {
            UInt64(littleEndian: group.loadUnaligned(fromByteOffset: byte, as: UInt64.self))
        }

        func result(length: UInt64) -> UInt64 {
            var r = length
            for lane in [h0, h1, h2, h3, h4, h5, h6, h7] { r = mix(r, lane) }
            r ^= r >> 32
            r = r &* seed
            return r ^ r >> 32
        }
    }
}
