/// Writes a file of sections piece by piece, from its first byte to its last, in constant memory.
///
/// The lengths of all sections must be known at the start.
package struct SectionFileWriter {
    package typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    private let sink: Sink
    private let lengths: [Int]
    private var section = 0
    private var written = 0
    private var block: [UInt8] = []
    private var checksums = ByteWriter()

    /// Writes the header of a file with the given sections, in order.
    package init(kind: FileKind, sections: [(name: String, length: Int)], to sink: @escaping Sink) throws {
        self.sink = sink
        lengths = sections.map(\.length)
        block.reserveCapacity(SectionLayout.blockSize)
        let headerLength = SectionLayout.headerLength(sections: sections.count)
        let payloadLength = lengths.reduce(0) { $0 + SectionLayout.aligned($1) }
        let blocks = SectionLayout.blocks(payloadLength)
        let table = headerLength + payloadLength

        var header = ByteWriter()
        header.append(bytes: kind.magic)
        header.append(kind.versions.upperBound)
        header.append(UInt32(sections.count))
        header.append(UInt64(table + 8 * blocks + 8))
        header.append(UInt64(headerLength))
        header.append(UInt64(table))
        header.append(UInt32(SectionLayout.blockSize))
        header.append(UInt32(blocks))
        var position = headerLength
        for section in sections {
            header.append(bytes: Array((section.name + "        ").utf8.prefix(8)))
            header.append(UInt64(position))
            header.append(UInt64(section.length))
            position += SectionLayout.aligned(section.length)
        }
        header.append(bytes: repeatElement(0, count: headerLength - 8 - header.bytes.count))
        header.append(header.bytes.withUnsafeBytes(BlockChecksum.of))
        try header.bytes.withUnsafeBytes(sink)
    }

    /// Adds bytes to the current section.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        written += bytes.count
        try fill(bytes)
    }

    package mutating func append(_ numbers: [some BitwiseCopyable]) throws {
        try numbers.withUnsafeBytes { try append($0) }
    }

    /// Ends the current section, which must have the announced length.
    ///
    /// - Throws: `FingerprintingError.malformedFile` for another length: the source changed during the copy.
    package mutating func endSection() throws {
        guard section < lengths.count, written == lengths[section] else {
            throw FingerprintingError(
                .malformedFile, "the source changed while it was read; nothing was written")
        }
        let zeros = [UInt8](repeating: 0, count: SectionLayout.aligned(written) - written)
        try zeros.withUnsafeBytes { try fill($0) }
        section += 1
        written = 0
    }

    package mutating func finish() throws {
        if !block.isEmpty { try flush() }
        checksums.append(checksums.bytes.withUnsafeBytes(BlockChecksum.of))
        try checksums.bytes.withUnsafeBytes(sink)
    }

    private mutating func fill(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = min(rest.count, SectionLayout.blockSize - block.count)
            block.append(contentsOf: rest[..<count])
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if block.count == SectionLayout.blockSize { try flush() }
        }
    }

    private mutating func flush() throws {
        try block.withUnsafeBytes { bytes in
            checksums.append(BlockChecksum.of(bytes))
            try sink(bytes)
        }
        block.removeAll(keepingCapacity: true)
    }

    /// The bytes of a file whose sections are in memory.
    package static func encode(kind: FileKind, _ sections: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        let collected = CollectedBytes()
        // Collecting bytes cannot fail, and the lengths are those of the sections.
        try? write(kind: kind, sections, to: collected.append)
        return collected.bytes
    }

    package static func write(
        kind: FileKind, _ sections: [(name: String, bytes: [UInt8])], to sink: @escaping Sink
    ) throws {
        var writer = try SectionFileWriter(
            kind: kind, sections: sections.map { ($0.name, $0.bytes.count) }, to: sink)
        for section in sections {
            try writer.append(section.bytes)
            try writer.endSection()
        }
        try writer.finish()
    }
}

package final class CollectedBytes {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
}
