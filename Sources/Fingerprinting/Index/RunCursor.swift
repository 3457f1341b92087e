/// Goes through the keys of an index and gives the postings of each, once it is sure that they lie one after the other.
struct RunCursor {
    /// How many postings behind the current ones stay in memory: 16 MB.
    private static let keptPostings = 1 << 22

    private let index: PairIndex
    private let differences: Int
    private var end = 0
    private var firstKept = 0

    /// Starts before the first key.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when the file is damaged where the rows start.
    init(_ index: PairIndex) throws {
        self.index = index
        differences = index.keys.differences
        guard index.rowStarts.isIntact(0..<index.rowStarts.count) else {
            try index.rowStarts.owner?.throwIfDamaged()
            return
        }
    }

    /// The postings of a key; the keys are asked for in order, and what was given before is not used any more.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when it does not begin where the one before ended.
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
                "\(counts.owner?.name ?? "catalog"): byte \(byte): expected keys whose postings lie one after the other"
            )
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
