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

    /// A complete page with the right checksum.
    struct Page {
        let bytes: Range<Int>
        let beginsStream: Bool
        /// The number of samples up to the end of the last packet that ends on the page; nil if none ends there.
        let granule: Int?
        let serial: UInt32
        let number: UInt32

        /// Reads the page at `start` of `bytes`, which are those of the file from `offset` on.
        init?(at start: Int, in bytes: [UInt8], offset: Int) {
            guard let end = endOfPage(at: start, in: bytes), bytes[start + 4] == 0,
                checksum(ofPage: bytes[start..<end]) == Self.number(at: start + 22, in: bytes)
            else { return nil }
            self.bytes = (offset + start)..<(offset + end)
            beginsStream = bytes[start + 5] & 2 != 0
            let low = UInt64(Self.number(at: start + 6, in: bytes))
            let high = UInt64(Self.number(at: start + 10, in: bytes))
            let position = Int64(bitPattern: high << 32 | low)
            granule = (0..<(1 << 56)).contains(position) ? Int(position) : nil
            serial = Self.number(at: start + 14, in: bytes)
            number = Self.number(at: start + 18, in: bytes)
        }

        private static func number(at place: Int, in bytes: [UInt8]) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
        }
    }

    /// No page is longer.
    static let longestPage = headerBytes + 255 + 255 * 255

    /// Bytes that begin each page.
    static let magic = [UInt8]("OggS".utf8)

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

    /// The checksum of a page that holds one already.
    private static func checksum(ofPage page: ArraySlice<UInt8>) -> UInt32 {
        let field = (page.startIndex + 22)..<(page.startIndex + 26)
        var sum = checksum(of: page[..<field.lowerBound])
        for _ in field { sum = (sum << 8) ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24))] }
        return checksum(of: page[field.upperBound...], after: sum)
    }

    /// CRC-32 with the polynomial 0x04C11DB7, neither reflected nor inverted; the bytes of the checksum must be 0.
    private static func checksum(of page: ArraySlice<UInt8>, after sum: UInt32 = 0) -> UInt32 {
        page.reduce(sum) { sum, byte in (sum << 8) ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte) << 24) { sum, _ in
            sum & 0x8000_0000 == 0 ? sum << 1 : (sum << 1) ^ 0x04C1_1DB7
        }
    }
}
