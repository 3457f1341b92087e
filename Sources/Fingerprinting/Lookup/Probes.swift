/// The runs of postings that a part of a query hits.
struct Probes {
    /// One run of postings.
    struct Run {
        var start: UInt32
        var count: UInt32
        /// Its place among `buckets`.
        var bucket: UInt32
        /// The ranks of both peaks together: how unlikely a reference is to have kept them.
        var rank: UInt32

        /// How little each hit tells, in steps of a quarter of a factor 2: a hit of a longer run is more likely
        /// chance, and every four ranks halve the chance that the reference kept the pair.
        var weakness: Int {
            let exponent = UInt32.bitWidth - 1 - count.leadingZeroBitCount
            let quarters = exponent >= 2 ? Int(count >> UInt32(exponent - 2)) & 3 : 0
            return 4 * exponent + quarters + Int(rank)
        }
    }

    /// What the postings of one anchor bucket mean to one anchor of the query.
    struct Bucket {
        /// For each place within the bucket the plane of votes; −1 where the skew is too large.
        var planes: SIMD8<Int32>
        /// The timeline's frame of the query's middle, less the posting's.
        var shift: Int
    }

    private(set) var runs: [Run] = []
    private(set) var buckets: [Bucket] = []
    /// How many postings the runs hold.
    private(set) var postingCount = 0

    /// Notes the bucket that the runs appended from now on belong to.
    mutating func begin(_ bucket: Bucket) { buckets.append(bucket) }

    /// Appends a run of the bucket begun last.
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

    /// Leaves out the runs whose hits tell least, until no more than `most` postings are left.
    ///
    /// In a large catalog most hits are chance and runs are long; the rare ones are enough to find a place.
    mutating func limit(to most: Int) {
        guard postingCount > most else { return }
        var postings = [Int](repeating: 0, count: 4 * UInt32.bitWidth + 64)
        for run in runs { postings[min(run.weakness, postings.count - 1)] += Int(run.count) }
        var weakest = 0
        var taken = 0
        while taken + postings[weakest] <= most {
            taken += postings[weakest]
            weakest += 1
        }
        // Of those as weak as the last, the first so many as there is room for.
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
