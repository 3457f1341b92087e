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
        while let length = lengthOfPage(at: start, in: bytes), start + length <= bytes.count {
            let end = start + length
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
        let endsStream: Bool
        /// Where the last packet that ends on it ends, in samples; 0 in headers, −1 without such a packet.
        ///
        /// Audio that ends below −1 is before the beginning: decoders leave it out.
        let endSample: Int
        /// What it has of the packets that end on it.
        let packets: [ArraySlice<UInt8>]
        /// Whether the first of them begins on an earlier page.
        let continuesPacket: Bool
        let serial: UInt32
        let number: UInt32

        /// Reads the page at `place`; nil if there is none.
        init?(at place: Int, in file: VirtualFile) {
            var bytes = file.bytes(at: place, headerBytes + 255)
            guard let length = lengthOfPage(at: 0, in: bytes), bytes[4] == 0 else { return nil }
            if length > bytes.count { bytes += file.bytes(at: place + bytes.count, length - bytes.count) }
            func number(_ place: Int) -> UInt32 {
                UInt32(bytes.number(place..<place + 4, isBigEndian: false))
            }
            guard length <= bytes.count,
                checksum(ofPage: bytes[..<length]) == number(22)
            else { return nil }
            self.bytes = place..<(place + length)
            continuesPacket = bytes[5] & 1 != 0
            beginsStream = bytes[5] & 2 != 0
            endsStream = bytes[5] & 4 != 0
            endSample = Int(number(6)) | Int(number(10)) << 32
            var packets: [ArraySlice<UInt8>] = []
            let body = headerBytes + Int(bytes[26])
            var (start, end) = (body, body)
            for size in bytes[headerBytes..<body] {
                end += Int(size)
                guard size < 255 else { continue }
                packets.append(bytes[start..<end])
                start = end
            }
            self.packets = packets
            serial = number(14)
            self.number = number(18)
        }
    }

    /// The bytes of the page whose header is at `start`.
    private static func lengthOfPage(at start: Int, in bytes: [UInt8]) -> Int? {
        guard start + headerBytes <= bytes.count, bytes[start...].starts(with: "OggS".utf8) else {
            return nil
        }
        let body = headerBytes + Int(bytes[start + 26])
        guard start + body <= bytes.count else { return nil }
        return bytes[(start + headerBytes)..<(start + body)].reduce(body) { $0 + Int($1) }
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
