import AudioCore

/// Makes the checksums of a signature or catalog file fit its bytes, from the format's description alone.
enum SealedFile {
    private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int {
        guard place + size <= bytes.count else { return 0 }
        let value = bytes[place..<(place + size)].reversed().reduce(UInt64(0)) { ($0 << 8) | UInt64($1) }
        return Int(truncatingIfNeeded: value & 0x7FFF_FFFF_FFFF_FFFF)
    }

    private static func put(_ value: UInt64, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash = StableHash()
        bytes.withUnsafeBytes { hash.combine(bytes: $0) }
        return hash.value
    }

    /// Where the sections are.
    static func bodyRange(_ bytes: [UInt8]) -> Range<Int> { number(bytes, 24, 8)..<bytes.count }

    /// Computes every checksum anew, as far as the header's own numbers allow.
    static func seal(_ bytes: inout [UInt8]) {
        let header = number(bytes, 24, 8)
        let sections = number(bytes, 12, 4)
        guard header >= 48, header <= bytes.count, sections <= 64 else { return }
        var place = 40 + 24 * sections
        for start in stride(from: header, to: bytes.count, by: 65536) where place + 8 <= header - 8 {
            put(hash(bytes[start..<min(start + 65536, bytes.count)]), at: place, in: &bytes)
            place += 8
        }
        put(hash(bytes[..<(header - 8)]), at: header - 8, in: &bytes)
    }
}
