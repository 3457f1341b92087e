/// Buckets of numbers, whose sizes need not be known beforehand.
///
/// A bucket is a chain of chunks from one pool, which is reused.
struct HitBuckets: Sendable {
    private static let chunk = 512

    let count: Int
    /// The index of each bucket's next number in the pool; a multiple of `chunk` where it has no room.
    private var ends: [Int]
    /// Each bucket's latest chunk, or −1.
    private var latest: [Int32]
    /// Each chunk's predecessor in its bucket, or −1.
    private var previous: [Int32] = []
    private var pool: [UInt32] = []

    init(count: Int) {
        self.count = count
        ends = [Int](repeating: 0, count: count)
        latest = [Int32](repeating: -1, count: count)
    }

    /// Empties the buckets and has `body` fill them with up to `most` numbers.
    mutating func fill(most: Int, _ body: (inout Filling) -> Void) {
        let chunks = most / Self.chunk + count
        if previous.count < chunks {
            previous = [Int32](repeating: -1, count: chunks)
            pool = [UInt32](repeating: 0, count: chunks * Self.chunk)
        }
        for bucket in 0..<count {
            ends[bucket] = 0
            latest[bucket] = -1
        }
        ends.withUnsafeMutableBufferPointer { ends in
            latest.withUnsafeMutableBufferPointer { latest in
                previous.withUnsafeMutableBufferPointer { previous in
                    pool.withUnsafeMutableBufferPointer { pool in
                        var filling = Filling(ends: ends, latest: latest, previous: previous, pool: pool)
                        body(&filling)
                    }
                }
            }
        }
    }

    struct Filling {
        fileprivate let ends: UnsafeMutableBufferPointer<Int>
        fileprivate let latest: UnsafeMutableBufferPointer<Int32>
        fileprivate let previous: UnsafeMutableBufferPointer<Int32>
        fileprivate let pool: UnsafeMutableBufferPointer<UInt32>
        fileprivate var chunksTaken = 0
        fileprivate var touched: UInt32 = 0

        /// Reads the first posting of each run, so that memory fetches all of them at the same time.
        @inline(__always)
        mutating func touch(_ runs: ArraySlice<LookupKeys.Run>, of postings: FrozenArray<UInt32>) {
            for run in runs { touched &+= postings.base[Int(run.start)] }
        }

        @inline(__always)
        mutating func append(_ number: UInt32, to bucket: Int) {
            var end = ends[bucket]
            if end % HitBuckets.chunk == 0 { end = newChunk(of: bucket) }
            pool[end] = number
            ends[bucket] = end + 1
        }

        private mutating func newChunk(of bucket: Int) -> Int {
            previous[chunksTaken] = latest[bucket]
            latest[bucket] = Int32(chunksTaken)
            defer { chunksTaken += 1 }
            return chunksTaken * HitBuckets.chunk
        }
    }

    func isEmpty(_ bucket: Int) -> Bool { latest[bucket] < 0 }

    /// Passes the numbers of a bucket, in no particular order.
    @inline(__always)
    func forEach(of bucket: Int, _ body: (UInt32) -> Void) {
        pool.withUnsafeBufferPointer { pool in
            var chunk = Int(latest[bucket])
            var end = ends[bucket]
            while chunk >= 0 {
                for place in chunk * Self.chunk..<end { body(pool[place]) }
                chunk = Int(previous[chunk])
                end = (chunk + 1) * Self.chunk
            }
        }
    }
}
