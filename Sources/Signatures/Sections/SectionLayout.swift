/// A kind of file, and the versions of it that this engine reads.
package struct FileKind: Sendable {
    /// Six letters.
    package let letters: String
    /// The versions that this engine reads; it writes the last.
    package let versions: ClosedRange<UInt32>
    /// Its name in errors, with an article.
    package let noun: String

    package init(letters: String, versions: ClosedRange<UInt32>, noun: String) {
        self.letters = letters
        self.versions = versions
        self.noun = noun
    }

    package var magic: [UInt8] { [0x89] + Array(letters.utf8.prefix(6)) + [0x0A] }
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
package enum SectionLayout {
    package static let blockSize = 65536
    package static let alignment = 64
    package static let mostSections = 64

    package static func headerLength(sections: Int) -> Int { aligned(56 + 24 * sections) }

    package static func blocks(_ length: Int) -> Int { (length + blockSize - 1) / blockSize }

    package static func aligned(_ length: Int) -> Int { (length + alignment - 1) / alignment * alignment }
}
