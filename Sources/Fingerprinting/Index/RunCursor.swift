/// Reads the postings of all keys of an index in order, and checks that they are contiguous.
struct RunCursor {
    /// How many postings before the current ones stay in memory: 16 MB.
    private static let keptPostings = 1 << 22

    private let index: PairIndex
    private let differences: Int
    private var end = 0
    private var firstKept = 0

    /// Starts before the first key.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when the table of rows is damaged.
    init(_ index: PairIndex) throws {
        self.index = index
        differences = index.keys.differences
        guard index.rowStarts.isIntact(0..<index.rowStarts.count) else {
            try index.rowStarts.owner?.throwIfDamaged()
            return
        }
    }

    /// The postings of the next key; callers pass keys in order and no longer use earlier postings.
    ///
    /// - Throws: `FingerprintingError.malformedFile` unless they begin at the end of the previous key's.
    mutating func next(_ key: Int) throws -> Range<Int> {
        let row = key / differences
        let difference = key % differences + 1
        let counts = index.cumulative
        let width = index.cumulativeWidth
        if difference == 1 {
            guard counts.isIntact(row * differences * width..<(row + 1) * differences * width) else {
                try counts.owner?.throwIfDamaged()
                return 0..<0
            }
        }
        let isRowEnd = difference == differences
        let next = Int(index.rowStarts[row]) + index.count(through: key)
        guard difference > 1 || Int(index.rowStarts[row]) == end, next >= end, next <= index.postings.count,
            !isRowEnd || next == Int(index.rowStarts[row + 1])
        else {
            let byte = isRowEnd ? index.rowStarts.position(of: row + 1) : counts.position(of: key * width)
            throw FingerprintingError(
                .malformedFile,
                "\(counts.owner?.name ?? "catalog"): byte \(byte): expected keys with contiguous postings")
        }
        let run = end..<next
        if run.lowerBound - firstKept > Self.keptPostings {
            index.postings.owner?.forget(index.postings.bytes(firstKept..<run.lowerBound))
            firstKept = run.lowerBound
        }
        end = next
        return run
    }
}
