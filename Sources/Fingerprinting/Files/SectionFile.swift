/// A kind of file, and the version of it that this engine writes and reads.
struct FileKind: Sendable {
    /// Six letters.
    let letters: String
    let version: UInt32
    /// Its name in errors, with an article.
    let noun: String
    /// What to do with a file of another version.
    let remedy: FingerprintingError.Remedy

    var magic: [UInt8] { [0x89] + Array(letters.utf8.prefix(6)) + [0x0A] }
}

/// The frame that signature and catalog files share: named sections under checksums.
///
/// All numbers are little-endian and unsigned.
///
/// | byte | size | meaning |
/// |---|---|---|
/// | 0 | 8 | magic: 0x89, six letters naming the kind of file, 0x0A |
/// | 8 | 4 | version of the kind of file |
/// | 12 | 4 | number of sections S, at most 64 |
/// | 16 | 8 | length of the file, T + 8·B + 8 |
/// | 24 | 8 | length of the header H = 56 + 24·S, rounded up to a multiple of 64 |
/// | 32 | 8 | position of the checksums T, a multiple of 64 |
/// | 40 | 4 | size of a block: 65536 |
/// | 44 | 4 | number of blocks B = ⌈(T − H) / 65536⌉ |
/// | 48 | 24·S | sections: name (8 bytes of ASCII, padded with spaces), position in the file, length |
/// | … | … | zeros |
/// | H − 8 | 8 | checksum of bytes 0 ..< H − 8 |
/// | H | T − H | the sections without gaps in the order listed, each followed by zeros to a multiple of 64 |
/// | T | 8·B | checksum of each block of 65536 bytes from H on; the last may be shorter |
/// | T + 8·B | 8 | checksum of bytes T ..< T + 8·B |
///
/// `BlockChecksum` defines the checksums. Together they cover every byte of the file.
struct SectionFile {
    static let blockSize = 65536
    static let alignment = 64
    static let mostSections = 64

    let sections: [(name: String, range: Range<Int>)]
    /// The bytes of all sections: H ..< T.
    let payload: Range<Int>
    let blockCount: Int

    /// Checks the header, the list of sections and the list of checksums, but no section's bytes.
    ///
    /// - Throws: `FingerprintingError.malformedFile` with the file, the byte, and what was expected there.
    init(_ memory: FileMemory, kind: FileKind, name: String) throws {
        let bytes = memory.bytes
        var reader = ByteReader(bytes, origin: 0, name: name, owner: memory)
        guard try reader.take(8, of: "the magic of \(kind.noun)").elementsEqual(kind.magic) else {
            throw reader.error(at: 0, expected: "the magic of \(kind.noun)")
        }
        let version = try reader.number(UInt32.self, "version")
        guard version == kind.version else {
            let isLater = version > kind.version
            let advice = isLater ? "use a later earshot" : "make it again from the audio"
            throw reader.error(
                at: 8, expected: "version \(kind.version) of \(kind.noun), found \(version); \(advice)",
                remedy: isLater ? nil : kind.remedy)
        }
        let sectionCount = try reader.count(UInt32.self, "a number of sections", atMost: Self.mostSections)
        let fileLength = try reader.number(UInt64.self, "the file's length")
        guard fileLength == UInt64(bytes.count) else {
            throw reader.error(at: 16, expected: "the file's length, \(bytes.count), found \(fileLength)")
        }
        let headerLength = try reader.count(UInt64.self, "a length of the header", atMost: bytes.count)
        let table = try reader.count(UInt64.self, "a position of the checksums", atMost: bytes.count)
        guard try reader.number(UInt32.self, "a block size") == UInt32(Self.blockSize) else {
            throw reader.error(at: 40, expected: "a block size of \(Self.blockSize)")
        }
        blockCount = try reader.count(UInt32.self, "a number of blocks", atMost: bytes.count / 8)
        guard headerLength == Self.headerLength(sections: sectionCount), table >= headerLength,
            table % Self.alignment == 0, blockCount == Self.blocks(table - headerLength),
            bytes.count == table + 8 * blockCount + 8
        else { throw reader.error(at: 24, expected: "lengths and positions that agree") }

        let header = UnsafeRawBufferPointer(rebasing: bytes[..<(headerLength - 8)])
        guard Self.checksum(bytes, at: headerLength - 8) == BlockChecksum.of(header) else {
            throw reader.error(at: headerLength - 8, expected: "the checksum of the header")
        }
        payload = headerLength..<table
        sections = try Self.sections(&reader, count: sectionCount, payload: payload)
        let unused = try reader.take(headerLength - 8 - reader.position, of: "zeros")
        guard unused.allSatisfy({ $0 == 0 }) else {
            throw reader.error(at: 48 + 24 * sectionCount, expected: "zeros to the end of the header")
        }
        let checksums = UnsafeRawBufferPointer(rebasing: bytes[table..<(bytes.count - 8)])
        guard Self.checksum(bytes, at: bytes.count - 8) == BlockChecksum.of(checksums) else {
            throw reader.error(at: bytes.count - 8, expected: "the checksum of the list of checksums")
        }
    }

    private static func sections(
        _ reader: inout ByteReader, count: Int, payload: Range<Int>
    ) throws -> [(name: String, range: Range<Int>)] {
        var sections: [(name: String, range: Range<Int>)] = []
        var end = payload.lowerBound
        for _ in 0..<count {
            let place = reader.position
            let padded = try reader.text(8, "a section's name")
            guard try reader.number(UInt64.self, "a section's position") == UInt64(end) else {
                throw reader.error(at: place + 8, expected: "a section at byte \(end)")
            }
            let length = try reader.count(UInt64.self, "a section's length", atMost: payload.upperBound - end)
            let name = String(padded.reversed().drop { $0 == " " }.reversed())
            sections.append((name, end..<(end + length)))
            end = aligned(end + length)
        }
        guard end == payload.upperBound else {
            throw reader.error(expected: "sections up to byte \(payload.upperBound), found them up to \(end)")
        }
        return sections
    }

    func block(_ number: Int) -> Range<Int> {
        let start = payload.lowerBound + number * Self.blockSize
        return start..<min(start + Self.blockSize, payload.upperBound)
    }

    /// The number at `position`, which must be within `bytes`.
    static func checksum(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    static func headerLength(sections: Int) -> Int { aligned(56 + 24 * sections) }

    static func blocks(_ length: Int) -> Int { (length + blockSize - 1) / blockSize }

    static func aligned(_ length: Int) -> Int { (length + alignment - 1) / alignment * alignment }
}
