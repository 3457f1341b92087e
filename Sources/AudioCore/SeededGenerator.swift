/// A random number generator that gives the same sequence for a seed on every machine.
///
/// The algorithm is xoshiro256**, seeded by SplitMix64.
/// Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Starts the sequence of `seed`.
    public init(seed: UInt64) {
        var mix = seed
        func next() -> UInt64 {
            mix &+= 0x9E37_79B9_7F4A_7C15
            var z = mix
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
        state = (next(), next(), next(), next())
    }

    /// Starts the sequence of `seed` and `names`, so that each item can have its own sequence.
    public init(seed: UInt64, _ names: String...) {
        var hash = StableHash()
        hash.combine(seed)
        for name in names { hash.combine(name) }
        self.init(seed: hash.value)
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        func rotate(_ x: UInt64, _ k: UInt64) -> UInt64 { (x << k) | (x >> (64 - k)) }
        let result = rotate(state.1 &* 5, 7) &* 9
        let t = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= t
        state.3 = rotate(state.3, 45)
        return result
    }

    /// A uniform random number, 0 ≤ x < 1, with 53 random bits.
    public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A uniform random number from `range`.
    public mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * unit()
    }

    /// A uniform random integer from 0 ..< `bound`; `bound` must be at least 1.
    public mutating func index(below bound: Int) -> Int {
        precondition(bound >= 1, "nothing to choose from")
        // Lemire's multiply-shift; the bias is below bound / 2^64.
        return Int(UInt64(bound).multipliedFullWidth(by: next()).high)
    }
}
