/// Random numbers that depend only on a seed and two indices.
///
/// They can therefore be drawn in any order and on any thread. The mixing is SplitMix64's: Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct CountedRandom {
    private let key: UInt64

    init(seed: UInt64, draw: Int) {
        key = Self.mixed(Self.mixed(seed &+ Self.step) ^ (UInt64(bitPattern: Int64(draw)) &* Self.step))
    }

    /// 64 random bits.
    func bits(at index: Int) -> UInt64 {
        Self.mixed(key &+ UInt64(bitPattern: Int64(index)) &* Self.step)
    }

    /// One of 0 ..< `count`, with a bias below count / 2⁶⁴.
    func index(below count: Int, at index: Int) -> Int {
        Int(bits(at: index).multipliedFullWidth(by: UInt64(count)).high)
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
