import AudioCore

/// The frame that signature and catalog files share: named sections under checksums.
///
/// All numbers are little-endian and unsigned.
///
/// | byte | size | meaning |
/// |---|---|---|
/// | 0 | 8 | magic: 0x89, six letters naming the kind of file, 0x0A |
/// | 8 | 4 | version of the kind of file |
/// | 12 | 4 | number of sections S |
/// | 16 | 8 | length of the file |
/// | 24 | 8 | length of the header H, a multiple of 64 |
/// | 32 | 4 | size of a checked block: 65536 |
/// | 36 | 4 | number of blocks B = ⌈(file length − H) / 65536⌉ |
/// | 40 | 24·S | sections: name (8 bytes of ASCII, padded with spaces), position in the file, length |
/// | 40 + 24·S | 8·B | checksum of each block of 65536 bytes from H on; the last may be shorter |
/// | … | … | zeros |
/// | H − 8 | 8 | checksum of bytes 0 ..< H − 8 |
/// | H | … | sections in the order listed, each at a multiple of 64, zeros between them |
///
/// Checksums are `StableHash` of the bytes. Every byte of the file is under one of them.
struct SectionFile {
    /// A named run of bytes.
    struct Section {
        let name: String
        let bytes: [UInt8]
    }

    private static let blockSize = 65536
    private static let alignment = 64
    private static let mostSections = 64

    /// Lays out a file.
    static func encode(magic: String, version: UInt32, _ sections: [Section]) -> [UInt8] {
        let payloadLength = sections.reduce(0) { aligned($0 + $1.bytes.count) }
        let blocks = (payloadLength + blockSize - 1) / blockSize
        let headerLength = aligned(40 + 24 * sections.count + 8 * blocks + 8)

        var payload = ByteWriter()
        var header = ByteWriter()
        header.append(bytes: magicBytes(magic))
        header.append(version)
        header.append(UInt32(sections.count))
        header.append(UInt64(headerLength + payloadLength))
        header.append(UInt64(headerLength))
        header.append(UInt32(blockSize))
        header.append(UInt32(blocks))
        for section in sections {
            header.append(bytes: Array((section.name + "        ").utf8.prefix(8)))
            header.append(UInt64(headerLength + payload.bytes.count))
            header.append(UInt64(section.bytes.count))
            payload.append(bytes: section.bytes)
            payload.pad(to: alignment)
        }
        for block in 0..<blocks {
            let range = (block * blockSize)..<min((block + 1) * blockSize, payloadLength)
            header.append(checksum(payload.bytes[range]))
        }
        while header.bytes.count < headerLength - 8 { header.append(UInt8(0)) }
        header.append(checksum(header.bytes[...]))
        return header.bytes + payload.bytes
    }

    /// Checks a file and gives its sections by name.
    ///
    /// - Throws: `FingerprintingError.malformedFile`, naming the file, the byte, and what was expected there.
    static func decode(
        _ bytes: [UInt8], name: String, magic: String, version: UInt32, kind: String
    ) throws -> [String: ArraySlice<UInt8>] {
        var reader = ByteReader(bytes[...], name: name)
        guard try reader.take(8, of: "the magic of \(kind)").elementsEqual(magicBytes(magic)) else {
            throw reader.error(at: 0, expected: "the magic of \(kind)")
        }
        let found = try reader.number(UInt32.self, "version")
        guard found == version else {
            throw reader.error(at: 8, expected: "version \(version) of \(kind), found \(found)")
        }
        let sectionCount = try reader.count(UInt32.self, "a number of sections", atMost: mostSections)
        let fileLength = try reader.number(UInt64.self, "file length")
        guard fileLength == UInt64(bytes.count) else {
            throw reader.error(at: 16, expected: "the file's length, \(bytes.count), found \(fileLength)")
        }
        let headerLength = try reader.count(UInt64.self, "a length of the header", atMost: bytes.count)
        guard try reader.number(UInt32.self, "block size") == UInt32(blockSize) else {
            throw reader.error(at: 32, expected: "a block size of \(blockSize)")
        }
        let blocks = try reader.count(UInt32.self, "a number of blocks", atMost: bytes.count)
        guard headerLength == aligned(40 + 24 * sectionCount + 8 * blocks + 8),
            blocks == (bytes.count - headerLength + blockSize - 1) / blockSize
        else { throw reader.error(at: 24, expected: "lengths that agree") }

        var checks = ByteReader(bytes[(headerLength - 8)..<headerLength], name: name)
        guard try checks.number(UInt64.self, "checksum") == checksum(bytes[..<(headerLength - 8)]) else {
            throw reader.error(at: headerLength - 8, expected: "the checksum of the header")
        }
        checks = ByteReader(bytes[(40 + 24 * sectionCount)..<(headerLength - 8)], name: name)
        for block in 0..<blocks {
            let start = headerLength + block * blockSize
            let range = start..<min(start + blockSize, bytes.count)
            guard try checks.number(UInt64.self, "checksum") == checksum(bytes[range]) else {
                throw reader.error(
                    at: start, expected: "a block of \(range.count) bytes that fits its checksum")
            }
        }
        return try sections(&reader, count: sectionCount, in: bytes, from: headerLength)
    }

    private static func sections(
        _ reader: inout ByteReader, count: Int, in bytes: [UInt8], from headerLength: Int
    ) throws -> [String: ArraySlice<UInt8>] {
        var sections: [String: ArraySlice<UInt8>] = [:]
        for _ in 0..<count {
            let place = reader.position
            let padded = try reader.text(8, "a section's name")
            let position = try reader.count(UInt64.self, "a section's position", atMost: bytes.count)
            let length = try reader.count(UInt64.self, "a section's length", atMost: bytes.count)
            guard position >= headerLength, length <= bytes.count - position else {
                throw reader.error(at: place, expected: "a section within the file")
            }
            let name = String(padded.reversed().drop { $0 == " " }.reversed())
            guard sections.updateValue(bytes[position..<(position + length)], forKey: name) == nil else {
                throw reader.error(at: place, expected: "one section named \"\(name)\", found two")
            }
        }
        return sections
    }

    /// Whether bytes begin as a file of this kind does: what does not need not be read on.
    static func begins(_ bytes: ArraySlice<UInt8>, magic: String) -> Bool {
        bytes.starts(with: magicBytes(magic))
    }

    private static func magicBytes(_ letters: String) -> [UInt8] {
        [0x89] + Array(letters.utf8.prefix(6)) + [0x0A]
    }

    private static func aligned(_ length: Int) -> Int { (length + alignment - 1) / alignment * alignment }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash = StableHash()
        bytes.withUnsafeBytes { hash.combine(bytes: $0) }
        return hash.value
    }
}
