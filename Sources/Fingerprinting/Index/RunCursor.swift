/// Reads where the posting lists of an index are, group by group, and checks that they follow each other.
struct RunCursor {
    /// How many postings before the current ones stay in memory: 16 MB.
    private static let keptPostings = 1 << 22

    private let index: PairIndex
    private var group = 0
    private var firstKept = 0

    init(_ index: PairIndex) { self.index = index }

    /// Replaces `ends` by the ends of the next group's lists, with the start of the first in front.
    ///
    /// Callers no longer use postings of earlier groups.
    ///
    /// - Throws: `FingerprintingError.malformedFile` unless the lists follow each other from the first posting to the last.
    mutating func next(_ ends: UnsafeMutablePointer<Int>) throws {
        let isLast = group + 1 == index.ends.groupCount
        let isSound = index.ends.decode(group: group, into: ends)
        let end = ends[ListEnds.keysPerGroup]
        guard isSound, group > 0 || ends[0] == 0, end <= index.postings.count,
            !isLast || end == index.postings.count
        else {
            let groups = index.ends.groups
            try groups.owner?.throwIfDamaged()
            throw groups.error(at: 2 * group, expected: "keys with contiguous postings")
        }
        if ends[0] - firstKept > Self.keptPostings {
            index.postings.owner?.forget(index.postings.bytes(firstKept..<ends[0]))
            firstKept = ends[0]
        }
        group += 1
    }
}
