/// Numbers laid aside on piles, without knowing beforehand how many go where.
///
/// A pile is a chain of chunks taken from one pool, which is kept from use to use.
struct HitPiles: Sendable {
    private static let chunk = 512

    /// The number of piles.
    let count: Int
    /// For each pile the place its next number goes to; a multiple of `chunk` where it has no room.
    private var ends: [Int]
    /// For each pile its latest chunk, or −1.
    private var latest: [Int32]
    /// For each chunk the one before it on its pile, or −1.
    private var previous: [Int32] = []
    private var pool: [UInt32] = []

    init(count: Int) {
        self.count = count
        ends = [Int](repeating: 0, count: count)
        latest = [Int32](repeating: -1, count: count)
    }

    /// Lends the empty piles to be filled with up to `most` numbers.
    mutating func fill(most: Int, _ body: (inout Filling) -> Void) {
        let chunks = most / Self.chunk + count
        if previous.count < chunks {
            previous = [Int32](repeating: -1, count: chunks)
            pool = [UInt32](repeating: 0, count: chunks * Self.chunk)
        }
        for pile in 0..<count {
            ends[pile] = 0
            latest[pile] = -1
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

    /// Piles while they are filled.
    struct Filling {
        fileprivate let ends: UnsafeMutableBufferPointer<Int>
        fileprivate let latest: UnsafeMutableBufferPointer<Int32>
        fileprivate let previous: UnsafeMutableBufferPointer<Int32>
        fileprivate let pool: UnsafeMutableBufferPointer<UInt32>

        fileprivate init(
            ends: UnsafeMutableBufferPointer<Int>, latest: UnsafeMutableBufferPointer<Int32>,
            previous: UnsafeMutableBufferPointer<Int32>, pool: UnsafeMutableBufferPointer<UInt32>
        ) {
            self.ends = ends
            self.latest = latest
            self.previous = previous
            self.pool = pool
        }

        fileprivate var chunksTaken = 0

        private var touched: UInt32 = 0

        /// Reads the first posting of each run, so that memory fetches them all at the same time.
        @inline(__always)
        mutating func touch(_ runs: ArraySlice<Probes.Run>, of postings: FrozenArray<UInt32>) {
            for run in runs { touched &+= postings.base[Int(run.start)] }
        }

        /// Lays a number on a pile.
        @inline(__always)
        mutating func append(_ number: UInt32, to pile: Int) {
            var end = ends[pile]
            if end % HitPiles.chunk == 0 { end = newChunk(of: pile) }
            pool[end] = number
            ends[pile] = end + 1
        }

        private mutating func newChunk(of pile: Int) -> Int {
            previous[chunksTaken] = latest[pile]
            latest[pile] = Int32(chunksTaken)
            defer { chunksTaken += 1 }
            return chunksTaken * HitPiles.chunk
        }
    }

    /// Whether nothing lies on a pile.
    func isEmpty(_ pile: Int) -> Bool { latest[pile] < 0 }

    /// Gives the numbers of a pile, in no particular order.
    @inline(__always)
    func forEach(of pile: Int, _ body: (UInt32) -> Void) {
        pool.withUnsafeBufferPointer { pool in
            var chunk = Int(latest[pile])
            var end = ends[pile]
            while chunk >= 0 {
                for place in chunk * Self.chunk..<end { body(pool[place]) }
                chunk = Int(previous[chunk])
                end = (chunk + 1) * Self.chunk
            }
        }
    }
}
