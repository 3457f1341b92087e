import Synchronization

#if _endian(big)
    #error("Files are mapped into memory as they are. Use a little-endian machine.")
#endif

/// A file of sections in memory, which verifies all blocks when it opens, or each block on first use.
///
/// Sendable because the bytes never change, the record of verified blocks is atomic, and the error is locked.
final class MappedFile: @unchecked Sendable {
    /// Files below this size verify all blocks when they open: 64 MB.
    static let wholeLimit = 64 << 20

    let name: String
    let isVerified: Bool
    /// The positions of the sections and their checksums.
    let frame: SectionFile
    private let memory: FileMemory
    /// One bit for each block that was verified.
    private let verified: UnsafeMutablePointer<Atomic<UInt64>>
    private let damage = Mutex<FingerprintingError?>(nil)

    /// Checks the frame, and also the blocks when the file is shorter than `wholeLimit` bytes.
    ///
    /// - Parameter isSalvaged: Whether the list of checksums may be damaged.
    /// - Throws: `FingerprintingError.malformedFile` with the file, the byte, and what was expected there.
    init(
        _ memory: FileMemory, kind: FileKind, name: String, wholeLimit: Int = MappedFile.wholeLimit,
        isSalvaged: Bool = false
    ) throws {
        self.memory = memory
        self.name = name
        frame = try SectionFile(memory, kind: kind, name: name, isSalvaged: isSalvaged)
        isVerified = memory.bytes.count < wholeLimit
        let words = frame.blockCount / 64 + 1
        verified = .allocate(capacity: words)
        for word in 0..<words { (verified + word).initialize(to: Atomic(0)) }
        if isVerified { try verifyAll() }
    }

    deinit { verified.deallocate() }

    /// Verifies every block.
    ///
    /// - Parameter forgets: Whether to free the memory of each block.
    /// - Throws: An error that names the first damaged block.
    private func verifyAll(forgets: Bool = false) throws {
        for block in 0..<frame.blockCount {
            guard fits(block) else { throw misfit(block) }
            mark(block)
            if forgets { memory.forget(frame.block(block)) }
        }
    }

    /// Verifies every block, also those that were verified before, and what is between sections.
    ///
    /// - Throws: An error that names the first damaged block, or byte.
    func verifyContents() throws {
        try verifyAll(forgets: true)
        for (_, section) in frame.sections {
            let gap = section.upperBound..<SectionLayout.aligned(section.upperBound)
            for byte in gap where memory.bytes[byte] != 0 {
                throw error(at: byte, expected: "a zero between sections, found \(memory.bytes[byte])")
            }
        }
    }

    /// Whether bytes of the file are intact; verifies their blocks unless that was done before.
    ///
    /// Keeps the error for `throwIfDamaged` when they are not.
    func isIntact(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do { try requireIntact(bytes) } catch {
            fail(error)
            return false
        }
        return true
    }

    /// Throws if bytes of the file are damaged; verifies their blocks unless that was done before.
    ///
    /// Other bytes can still be read.
    func requireIntact(_ bytes: UnsafeRawBufferPointer) throws(FingerprintingError) {
        guard !isVerified, !bytes.isEmpty else { return }
        let start = position(of: bytes.baseAddress) - frame.payload.lowerBound
        for block in (start / SectionLayout.blockSize)...((start + bytes.count - 1) / SectionLayout.blockSize)
        {
            if verified[block >> 6].load(ordering: .relaxed) & Self.bit(block) != 0 { continue }
            guard fits(block) else { throw misfit(block) }
            mark(block)
        }
    }

    private static func bit(_ block: Int) -> UInt64 { 1 << UInt64(block & 63) }

    private func mark(_ block: Int) { verified[block >> 6].bitwiseOr(Self.bit(block), ordering: .relaxed) }

    private func fits(_ block: Int) -> Bool {
        let checksum = BlockChecksum.of(UnsafeRawBufferPointer(rebasing: memory.bytes[frame.block(block)]))
        if checksum == SectionFile.checksum(memory.bytes, at: frame.payload.upperBound + 8 * block) {
            return true
        }
        // If the list is damaged in this place only, it fits with the checksum of the block.
        guard !frame.checksumsFit else { return false }
        var list = Array(memory.bytes[frame.payload.upperBound..<(memory.bytes.count - 8)])
        withUnsafeBytes(of: checksum.littleEndian) {
            list.replaceSubrange(8 * block..<8 * block + 8, with: $0)
        }
        return list.withUnsafeBytes(BlockChecksum.of)
            == SectionFile.checksum(memory.bytes, at: memory.bytes.count - 8)
    }

    private func misfit(_ block: Int) -> FingerprintingError {
        let range = frame.block(block)
        return error(at: range.lowerBound, expected: "a block of \(range.count) bytes that fits its checksum")
    }

    func error(at byte: Int, expected: String) -> FingerprintingError {
        FingerprintingError(.malformedFile, "\(name): byte \(byte): expected \(expected)")
    }

    /// Keeps the first error for `throwIfDamaged`.
    func fail(_ error: FingerprintingError) { damage.withLock { $0 = $0 ?? error } }

    /// Throws the first error of the file, or an error if it was changed in place: earlier results may be wrong.
    func throwIfDamaged() throws {
        if memory.isChanged {
            fail(
                FingerprintingError(
                    .malformedFile,
                    "\(name): was changed while it was open; open it again, and replace catalogs by renaming")
            )
        }
        if let error = damage.withLock({ $0 }) { throw error }
    }

    func position(of address: UnsafeRawPointer?) -> Int {
        guard let address, let base = memory.bytes.baseAddress else { return 0 }
        return address - base
    }

    /// Frees the memory of bytes of a mapped file that are not needed soon.
    func forget(_ bytes: UnsafeRawBufferPointer) {
        let start = position(of: bytes.baseAddress)
        memory.forget(start..<(start + bytes.count))
    }

    /// The elements of a section.
    ///
    /// - Throws: An error when there is no such section, or its length is not a multiple of the elements' size.
    func section<Element>(_ name: String, of type: Element.Type) throws -> FrozenArray<Element> {
        guard let range = frame.sections.first(where: { $0.name == name })?.range else {
            throw error(at: 48, expected: "a section named \"\(name)\"")
        }
        guard range.count % MemoryLayout<Element>.stride == 0 else {
            throw error(
                at: range.lowerBound,
                expected: "section \(name) in pieces of \(MemoryLayout<Element>.stride) bytes")
        }
        return FrozenArray(mapped: UnsafeRawBufferPointer(rebasing: memory.bytes[range]), owner: self)
    }

    /// Verifies a section and reads it from its start.
    func reader(_ name: String) throws -> ByteReader {
        try section(name, of: UInt8.self).reader(of: "section \(name)")
    }

    /// Throws unless the file has exactly these sections, in this order.
    func expectSections(_ names: [String]) throws {
        for (number, name) in names.enumerated() {
            guard number < frame.sections.count, frame.sections[number].name == name else {
                throw error(at: 48 + 24 * number, expected: "a section named \"\(name)\"")
            }
        }
        guard frame.sections.count == names.count else {
            throw error(at: 12, expected: "\(names.count) sections, found \(frame.sections.count)")
        }
    }
}
