/// A 64-bit hash that is the same in every process, on every machine and in every release.
///
/// It is FNV-1a over the bytes, followed by the finaliser of SplitMix64. Use it for seeds and for checksums
/// against accidental damage, not against an adversary.
public struct StableHash: Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Starts an empty hash.
    public init() {}

    /// Adds raw bytes.
    public mutating func combine(bytes: UnsafeRawBufferPointer) {
        var state = self.state
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        self.state = state
    }

    /// Adds the UTF-8 bytes of `text` and a terminator, so that ("a", "bc") differs from ("ab", "c").
    public mutating func combine(_ text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(UInt64(0xFF))
    }

    /// Adds a number as eight little-endian bytes.
    public mutating func combine(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { combine(bytes: $0) }
    }

    /// The hash of everything added so far.
    public var value: UInt64 {
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The hash of a list of texts.
    public static func of(_ names: String...) -> UInt64 {
        var hash = StableHash()
        for name in names { hash.combine(name) }
        return hash.value
    }
}
