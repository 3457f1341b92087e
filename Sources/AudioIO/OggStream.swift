/// The framing of Ogg files (RFC 3533).
package enum OggStream {
    private static let headerBytes = 27

    /// The same file with 1 as the serial number of its stream.
    ///
    /// Writers take that number from the clock. Replacing it makes equal audio give equal bytes. An incomplete page
    /// stays unchanged.
    package static func renumbered(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var start = 0
        while let end = endOfPage(at: start, in: bytes) {
            put(1, at: start + 14, in: &bytes)
            put(0, at: start + 22, in: &bytes)
            put(checksum(of: bytes[start..<end]), at: start + 22, in: &bytes)
            start = end
        }
        return bytes
    }

    private static func endOfPage(at start: Int, in bytes: [UInt8]) -> Int? {
        guard start + headerBytes <= bytes.count, bytes[start..<start + 4].elementsEqual("OggS".utf8) else {
            return nil
        }
        let body = start + headerBytes + Int(bytes[start + 26])
        guard body <= bytes.count else { return nil }
        let end = bytes[(start + headerBytes)..<body].reduce(body) { $0 + Int($1) }
        return end <= bytes.count ? end : nil
    }

    private static func put(_ number: UInt32, at place: Int, in bytes: inout [UInt8]) {
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
    }

    /// CRC-32 with the polynomial 0x04C11DB7, neither reflected nor inverted; the bytes of the checksum must be 0.
    private static func checksum(of page: ArraySlice<UInt8>) -> UInt32 {
        page.reduce(0) { sum, byte in (sum << 8) ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { sum, _ in
            sum & 0x8000_0000 == 0 ? sum << 1 : (sum << 1) ^ 0x04C1_1DB7
        }
    }
}
