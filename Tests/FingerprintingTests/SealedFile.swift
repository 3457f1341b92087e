/// Recomputes the checksums of a signature or catalog file by the description of the format.
enum SealedFile {
    private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int {
        guard place + size <= bytes.count else { return 0 }
        let value = bytes[place..<(place + size)].reversed().reduce(UInt64(0)) { ($0 << 8) | UInt64($1) }
        return Int(truncatingIfNeeded: value & 0x7FFF_FFFF_FFFF_FFFF)
    }

    private static func put(_ value: UInt64, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
    }

    /// The checksum as the format describes it, word by word.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        func rotated(_ x: UInt64) -> UInt64 { x << 29 | x >> 35 }
        let p: UInt64 = 0x9E37_79B9_7F4A_7C15
        let q: UInt64 = 0xD6E8_FEB8_6659_FD93
        var lanes = (1...8).map { UInt64($0) &* q }
        let padded = Array(bytes) + [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
        for word in 0..<(padded.count / 8) {
            let value = (0..<8).reduce(UInt64(0)) { $0 | UInt64(padded[8 * word + $1]) << UInt64(8 * $1) }
            lanes[word % 8] = rotated((lanes[word % 8] ^ value) &* p)
        }
        var result = lanes.reduce(UInt64(bytes.count)) { rotated(($0 ^ $1) &* p) }
        result ^= result >> 32
        result = result &* q
        return result ^ result >> 32
    }

    static func bodyRange(_ bytes: [UInt8]) -> Range<Int> { number(bytes, 24, 8)..<number(bytes, 32, 8) }

    /// The range of a section by its index, within the file.
    static func section(_ place: Int, of bytes: [UInt8]) -> Range<Int> {
        let start = min(number(bytes, 48 + 24 * place + 8, 8), bytes.count)
        return start..<min(start + min(number(bytes, 48 + 24 * place + 16, 8), bytes.count), bytes.count)
    }

    /// Computes every checksum again, as far as the header's own numbers allow.
    static func seal(_ bytes: inout [UInt8]) {
        let header = number(bytes, 24, 8)
        let table = number(bytes, 32, 8)
        guard header >= 64, header <= table, table <= bytes.count - 8 else { return }
        var place = table
        for start in stride(from: header, to: table, by: 65536) where place + 16 <= bytes.count {
            put(checksum(bytes[start..<min(start + 65536, table)]), at: place, in: &bytes)
            place += 8
        }
        put(checksum(bytes[table..<(bytes.count - 8)]), at: bytes.count - 8, in: &bytes)
        put(checksum(bytes[..<(header - 8)]), at: header - 8, in: &bytes)
    }
}
