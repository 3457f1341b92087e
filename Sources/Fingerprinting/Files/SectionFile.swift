import AudioCore

/// A file of sections that was checked, as `SectionLayout` describes it.
struct SectionFile {
    let version: UInt32
    let sections: [(name: String, range: Range<Int>)]
    /// The bytes of all sections: H ..< T.
    let payload: Range<Int>
    let blockCount: Int
    /// Whether the list of checksums fits its own.
    let checksumsFit: Bool

    /// Checks the header, the list of sections and the list of checksums, but no section's bytes.
    ///
    /// - Parameter isSalvaged: Whether the list of checksums may be damaged.
    /// - Throws: `FingerprintingError.malformedFile` with the file, the byte, and what was expected there.
    init(_ memory: FileMemory, kind: FileKind, name: String, isSalvaged: Bool) throws {
        let bytes = memory.bytes
        var reader = ByteReader(bytes, origin: 0, name: name, owner: memory)
        guard try reader.take(8, of: "the magic of \(kind.noun)").elementsEqual(kind.magic) else {
            throw reader.error(at: 0, expected: "the magic of \(kind.noun); the file is none")
        }
        version = try reader.number(UInt32.self, "version")
        guard kind.versions.contains(version) else {
            let isLater = version > kind.versions.upperBound
            throw FingerprintingError(
                .malformedFile,
                "\(name): byte 8: expected version \(kind.versions.lowerBound) to \(kind.versions.upperBound) of"
                    + " \(kind.noun), found \(version)" + (isLater ? "; \(Release.newer)" : ""),
                remedy: isLater ? .useLaterRelease : nil)
        }
        let sectionCount = try reader.count(
            UInt32.self, "a number of sections", atMost: SectionLayout.mostSections)
        let fileLength = try reader.number(UInt64.self, "the file's length")
        guard fileLength == UInt64(bytes.count) else {
            throw reader.error(at: 16, expected: "the file's length, \(bytes.count), found \(fileLength)")
        }
        let headerLength = try reader.count(UInt64.self, "a length of the header", atMost: bytes.count)
        let table = try reader.count(UInt64.self, "a position of the checksums", atMost: bytes.count)
        guard try reader.number(UInt32.self, "a block size") == UInt32(SectionLayout.blockSize) else {
            throw reader.error(at: 40, expected: "a block size of \(SectionLayout.blockSize)")
        }
        blockCount = try reader.count(UInt32.self, "a number of blocks", atMost: bytes.count / 8)
        guard headerLength == SectionLayout.headerLength(sections: sectionCount), table >= headerLength,
            table % SectionLayout.alignment == 0, blockCount == SectionLayout.blocks(table - headerLength),
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
        checksumsFit = Self.checksum(bytes, at: bytes.count - 8) == BlockChecksum.of(checksums)
        guard checksumsFit || isSalvaged else {
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
            end = SectionLayout.aligned(end + length)
        }
        guard end == payload.upperBound else {
            throw reader.error(expected: "sections up to byte \(payload.upperBound), found them up to \(end)")
        }
        return sections
    }

    func block(_ number: Int) -> Range<Int> {
        let start = payload.lowerBound + number * SectionLayout.blockSize
        return start..<min(start + SectionLayout.blockSize, payload.upperBound)
    }

    /// The number at `position`, which must be within `bytes`.
    static func checksum(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }
}
