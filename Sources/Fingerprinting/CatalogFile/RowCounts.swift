/// The sections `ROWS` and `COUNTS`, by which files of version 3 say where posting lists end.
///
/// `ROWS` has the first posting of each row and the number of all postings. `COUNTS` has for each key the number of its
/// row's postings up to its end, in 1, 2 or 4 bytes as the largest row needs. Several shards follow each other.
struct RowCounts {
    private let file: MappedFile
    private let shards: Int
    private let keys: KeySpace
    private let rows: FrozenArray<UInt32>
    private let counts: FrozenArray<UInt8>
    /// Bytes to a number of `COUNTS`.
    private let width: Int

    /// - Throws: `FingerprintingError.malformedFile` when the sections are damaged or have other sizes.
    init(_ file: MappedFile, shards: Int, keys: KeySpace) throws {
        self.file = file
        self.shards = shards
        self.keys = keys
        rows = try file.section("ROWS", of: UInt32.self)
        counts = try file.section("COUNTS", of: UInt8.self)
        try CatalogFile.expect(shards * (keys.rowCount + 1), in: rows, "ROWS")
        width = counts.count / (shards * keys.keyCount)
        guard [1, 2, 4].contains(width), counts.count == shards * keys.keyCount * width else {
            throw file.error(
                at: counts.position(of: 0),
                expected: "section COUNTS with 1, 2 or 4 bytes for each of \(shards * keys.keyCount) keys,"
                    + " found \(counts.count) bytes")
        }
        guard rows.isIntact(0..<rows.count), counts.isIntact(0..<counts.count) else {
            try file.throwIfDamaged()
            throw file.error(at: rows.position(of: 0), expected: "sound sections ROWS and COUNTS")
        }
    }

    /// The ends of each shard's lists in the code of this version.
    ///
    /// - Throws: `FingerprintingError.malformedFile` unless the lists follow each other.
    func listEnds() throws -> [ListEnds] {
        try (0..<shards).map { shard in
            var lengths = [UInt32](repeating: 0, count: keys.keyCount)
            var total: UInt64 = 0
            for row in 0..<keys.rowCount {
                let start = shard * (keys.rowCount + 1) + row
                guard rows[start] == total else { throw misfit(rows.position(of: start)) }
                let firstKey = row * keys.differences
                var last: UInt32 = 0
                for key in firstKey..<firstKey + keys.differences {
                    let count = count(through: shard * keys.keyCount + key)
                    guard count >= last else {
                        throw misfit(counts.position(of: (shard * keys.keyCount + key) * width))
                    }
                    lengths[key] = count - last
                    last = count
                }
                total += UInt64(last)
            }
            let end = (shard + 1) * (keys.rowCount + 1) - 1
            guard rows[end] == total else { throw misfit(rows.position(of: end)) }
            return lengths.withUnsafeBufferPointer(ListEnds.init(lengths:))
        }
    }

    private func count(through key: Int) -> UInt32 {
        let bytes = UnsafeRawPointer(counts.base)
        switch width {
        case 1: return UInt32(counts[key])
        case 2:
            return UInt32(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * key, as: UInt16.self)))
        default: return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * key, as: UInt32.self))
        }
    }

    private func misfit(_ byte: Int) -> FingerprintingError {
        file.error(at: byte, expected: "keys with contiguous postings")
    }
}
