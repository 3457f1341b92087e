/// All pairs of all references, filed by key: for each key a run of postings, in order of time.
///
/// A row is all keys of one anchor bucket and one ratio. Each row knows its first posting, and each key only
/// how many of the row's postings lie up to its end: a number as narrow as the largest row allows.
struct PairIndex: Sendable {
    let keys: KeySpace
    /// The first posting of each row; one more marks the end of all.
    let rowStarts: FrozenArray<UInt32>
    /// For each key the number of its row's postings up to and including its own, in `cumulativeWidth` bytes,
    /// least significant first.
    let cumulative: FrozenArray<UInt8>
    /// Bytes to a number of `cumulative`: 1, 2 or 4.
    let cumulativeWidth: Int
    /// The postings of all keys, one run after the other (see `Posting`).
    let postings: FrozenArray<UInt32>

    /// Takes parts made earlier; what they hold is not looked at here, but nothing they may hold does harm later.
    ///
    /// - Returns: nil when the parts are not of the sizes that `keys` asks for.
    init?(
        keys: KeySpace, rowStarts: FrozenArray<UInt32>, cumulative: FrozenArray<UInt8>,
        cumulativeWidth: Int, postings: FrozenArray<UInt32>
    ) {
        guard rowStarts.count == keys.rowCount + 1, [1, 2, 4].contains(cumulativeWidth),
            cumulative.count == keys.keyCount * cumulativeWidth
        else { return nil }
        self.keys = keys
        self.rowStarts = rowStarts
        self.cumulative = cumulative
        self.cumulativeWidth = cumulativeWidth
        self.postings = postings
    }

    /// Where the postings of a row lie whose time differences are in `differences`, 1 … `KeySpace.differences` frames.
    @inline(__always)
    func postings(row: Int, differences: ClosedRange<Int>) -> Range<Int> {
        let key = row * keys.differences - 1
        let counts = (key + 1) * cumulativeWidth..<(key + 1 + keys.differences) * cumulativeWidth
        guard rowStarts.isIntact(row..<row + 1), cumulative.isIntact(counts) else { return 0..<0 }
        let start = Int(rowStarts.base[row])
        let before = differences.lowerBound > 1 ? count(through: key + differences.lowerBound - 1) : 0
        let through = count(through: key + differences.upperBound)
        let from = min(start + before, postings.count)
        return from..<max(from, min(start + through, postings.count))
    }

    /// The number of postings of a key's row up to and including its own, as the file says.
    @inline(__always)
    func count(through key: Int) -> Int {
        let bytes = UnsafeRawPointer(cumulative.base)
        switch cumulativeWidth {
        case 1: return Int(cumulative.base[key])
        case 2:
            return Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * key, as: UInt16.self)))
        default:
            return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * key, as: UInt32.self)))
        }
    }

    /// The memory the index takes, in bytes.
    var byteCount: Int { rowStarts.count * 4 + cumulative.count + postings.count * 4 }
}
