/// The keys of a part of a query, with the runs of postings that they hit.
struct LookupKeys {
    struct Run {
        var start: UInt32
        var count: UInt32
        var bucket: UInt32
        /// The sum of both peaks' ranks: a reference keeps peaks of high ranks less often.
        var rank: UInt32

        /// How uninformative each hit is, in steps of a quarter of a factor 2.
        ///
        /// A hit of a longer run is more likely chance. Four ranks halve the chance that the reference kept the pair.
        var weakness: Int { lengthInQuarters + Int(rank) }

        /// The votes of each hit: 0.6 fewer for each factor 2 of the length, from `lone` for a run of one.
        func votes(lone: Int) -> Int { max(1, lone - (3 * lengthInQuarters + 10) / 20) }

        /// The binary logarithm of the length, in quarters.
        private var lengthInQuarters: Int {
            let exponent = UInt32.bitWidth - 1 - count.leadingZeroBitCount
            let quarters = exponent >= 2 ? Int(count >> UInt32(exponent - 2)) & 3 : 0
            return 4 * exponent + quarters
        }
    }

    /// How to read the postings of one anchor bucket for one anchor of the query.
    struct Bucket {
        /// The plane of votes for each step within the bucket; −1 where the skew is too large.
        var planes: SIMD8<Int32>
        /// The timeline frame of the query's middle less that of the posting.
        var shift: Int
    }

    private(set) var runs: [Run] = []
    private(set) var buckets: [Bucket] = []
    private(set) var postingCount = 0
    /// Whether runs were dropped, so that matches may be missing.
    private(set) var isLimited = false

    mutating func begin(_ bucket: Bucket) { buckets.append(bucket) }

    /// Appends a run of the current bucket.
    @inline(__always)
    mutating func append(_ range: Range<Int>, rank: Int) {
        guard !range.isEmpty else { return }
        postingCount += range.count
        runs.append(
            Run(
                start: UInt32(truncatingIfNeeded: range.lowerBound),
                count: UInt32(truncatingIfNeeded: range.count),
                bucket: UInt32(truncatingIfNeeded: buckets.count - 1), rank: UInt32(truncatingIfNeeded: rank))
        )
    }

    /// Drops the least informative runs until at most `most` postings remain.
    ///
    /// In a large catalog most hits are chance and runs are long; the rare ones are enough to find a place.
    mutating func limit(to most: Int) {
        guard postingCount > most else { return }
        isLimited = true
        var postings = [Int](repeating: 0, count: 4 * UInt32.bitWidth + 64)
        for run in runs { postings[min(run.weakness, postings.count - 1)] += Int(run.count) }
        var weakest = 0
        var taken = 0
        while taken + postings[weakest] <= most {
            taken += postings[weakest]
            weakest += 1
        }
        // Of equally weak runs keep the first ones that fit.
        var room = most - taken
        runs.removeAll { run in
            let weakness = min(run.weakness, postings.count - 1)
            guard weakness == weakest, Int(run.count) <= room else { return weakness >= weakest }
            room -= Int(run.count)
            return false
        }
        postingCount = most - room
    }
}
