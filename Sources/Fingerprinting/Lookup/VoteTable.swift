/// Counts hits in cells of (reference time of the query's middle) × (frequency skew).
///
/// A cell is 8 frames (0.256 s) by 1/96 octave (0.7 %); candidates are blocks of 2 × 2 cells, so
/// no hit is lost at an edge. Hits are first laid aside by stretch of the timeline, then counted stretch by
/// stretch in one small table that stays in the cache, whatever the size of the catalog.
struct VoteTable: Sendable {
    /// How many ranges of skew there are, centred on none.
    static let planes = 20
    /// Ranges to the octave.
    static let planesPerOctave: Float = 96
    /// The largest skew that has a plane, with room for half a step of a posting.
    static let widestOctaves: Float = 0.1
    /// No cell counts further, so that a block's sum stays below 2^15.
    static let mostVotes: UInt16 = 8191

    /// The plane of a skew of at most 10/96 octave.
    static func plane(octaves: Float) -> Int { Int(octaves * planesPerOctave + Float(planes / 2)) }

    /// A stretch has this many cells: its counts fit the second-level cache.
    private static let smallestStretchBits = 13
    /// In large catalogs stretches are longer, so that there are no more than this many.
    private static let mostStretches = 4096

    /// So many runs of postings are asked of the memory at once, ahead of their use.
    private static let runsAhead = 64

    /// A table of so few cells is quickest looked through from end to end.
    private static let mostCellsSwept = 1 << 16
    /// With more cells than this to a hit, a larger one is looked at hit by hit.
    private static let cellsPerHit = 16
    /// Marks a cell whose blocks have been looked at.
    private static let seenFlag: UInt16 = 0x8000
    private static let votesMask: UInt16 = 0x7FFF

    private let cellCount: Int
    /// The binary logarithm of the number of cells in a stretch.
    private let stretchBits: Int
    /// Counts from one plane to the next: the last cell of the stretch before, and the stretch's own.
    private let stride: Int
    private var counts: [UInt16]
    private var hits: HitPiles

    /// Makes room for a timeline of `cellCount` cells.
    init(cellCount: Int) {
        self.cellCount = cellCount
        var bits = Self.smallestStretchBits
        while cellCount >> bits >= Self.mostStretches { bits += 1 }
        stretchBits = bits
        stride = 1 << bits + 16
        counts = [UInt16](repeating: 0, count: stride * Self.planes)
        hits = HitPiles(count: cellCount >> bits + 1)
    }

    /// Lays aside the hits of all probes.
    mutating func add(_ probes: Probes, of postings: FrozenArray<UInt32>) {
        let stretchBits = stretchBits
        let cellCount = UInt(cellCount)
        let mask = 1 << stretchBits - 1
        let stride = Int32(stride)
        hits.fill(most: probes.postingCount) { piles in
            for (place, run) in probes.runs.enumerated() {
                if place % Self.runsAhead == 0 {
                    piles.touch(probes.runs[place...].prefix(Self.runsAhead), of: postings)
                }
                guard postings.isIntact(Int(run.start)..<Int(run.start) + Int(run.count)) else { continue }
                let bucket = probes.buckets[Int(run.bucket)]
                let run = UnsafeBufferPointer(start: postings.base + Int(run.start), count: Int(run.count))
                withUnsafeBytes(of: bucket.planes &* stride) { planes in
                    let planes = planes.bindMemory(to: Int32.self)
                    for posting in run {
                        let plane = Int(planes[Int(posting & 7)])
                        let cell = (Int(posting >> 3) * Posting.frames + bucket.shift) >> 3
                        guard plane >= 0, UInt(bitPattern: cell) < cellCount else { continue }
                        piles.append(
                            UInt32(truncatingIfNeeded: plane + cell & mask + 1), to: cell >> stretchBits)
                    }
                }
            }
        }
    }

    /// The blocks with the most votes among the given planes, best first; forgets all counts.
    ///
    /// Of blocks that share a cell only the best is given; equal ones in order of time, then skew.
    mutating func takeBest(_ most: Int, planes: ClosedRange<Int>) -> [VotedCell] {
        var best = BestCells(capacity: 4 * most)
        let stride = stride
        let stretchBits = stretchBits
        let hits = self.hits
        counts.withUnsafeMutableBufferPointer { counts in
            guard let counts = counts.baseAddress else { return }
            var isCarrying = false
            for stretch in 0..<hits.count {
                guard isCarrying || !hits.isEmpty(stretch) else { continue }
                var hitCount = 0
                hits.forEach(of: stretch) { hit in
                    let count = counts[Int(hit)]
                    counts[Int(hit)] = count &+ (count < Self.mostVotes ? 1 : 0)
                    hitCount += 1
                }
                let firstCell = stretch << stretchBits - 1
                // Where hits are few, only what they touched is looked at and set back to zero.
                let cells = planes.count << stretchBits
                if cells > Self.mostCellsSwept, hitCount * Self.cellsPerHit < cells {
                    hits.forEach(of: stretch) { hit in
                        Self.look(
                            at: Int(hit), counts, stride, planes, cells: 1 << stretchBits,
                            firstCell: firstCell,
                            into: &best)
                    }
                    for plane in planes {
                        Self.look(
                            at: plane * stride, counts, stride, planes, cells: 1 << stretchBits,
                            firstCell: firstCell, into: &best)
                    }
                    var carried = SIMD32<UInt16>(repeating: 0)
                    for plane in planes {
                        carried[plane] = counts[plane * stride + 1 << stretchBits] & Self.votesMask
                    }
                    hits.forEach(of: stretch) { counts[Int($0)] = 0 }
                    for plane in planes { counts[plane * stride] = carried[plane] }
                } else {
                    Self.sweep(
                        counts, stride, planes, cells: 1 << stretchBits, firstCell: firstCell, into: &best)
                    for plane in planes {
                        let row = counts + plane * stride
                        let last = row[1 << stretchBits]
                        row.update(repeating: 0, count: 1 << stretchBits + 1)
                        row[0] = last
                    }
                }
                isCarrying = !hits.isEmpty(stretch)
            }
            for plane in planes { counts[plane * stride] = 0 }
        }
        return best.distinct(most)
    }

    /// Looks at the blocks around a cell that has hits, of which it is the first with the most votes.
    ///
    /// A block that gets over the bar has a cell with a quarter of its votes; so most cells need no look.
    @inline(__always)
    private static func look(
        at place: Int, _ counts: UnsafeMutablePointer<UInt16>, _ stride: Int, _ planes: ClosedRange<Int>,
        cells: Int, firstCell: Int, into best: inout BestCells
    ) {
        let votes = counts[place]
        guard votes & seenFlag == 0, 4 * votes > best.least else { return }
        counts[place] = votes | seenFlag
        let plane = place / stride
        let cell = place % stride
        for lowPlane in max(plane - 1, planes.lowerBound)...min(plane, planes.upperBound - 1) {
            for lowCell in max(cell - 1, 0)...min(cell, cells - 1) {
                let corner = lowPlane * stride + lowCell
                let corners = [corner, corner + 1, corner + stride, corner + stride + 1]
                var sum: UInt16 = 0
                var isFirst = true
                for other in corners {
                    let otherVotes = counts[other] & votesMask
                    sum += otherVotes
                    if otherVotes > votes || (otherVotes == votes && other < place) { isFirst = false }
                }
                if isFirst, sum > best.least {
                    best.insert(
                        VotedCell(
                            votes: sum, plane: UInt16(lowPlane), cell: UInt32(max(0, firstCell + lowCell))))
                }
            }
        }
    }

    /// Looks at all blocks of a stretch.
    private static func sweep(
        _ counts: UnsafeMutablePointer<UInt16>, _ stride: Int, _ planes: ClosedRange<Int>, cells: Int,
        firstCell: Int, into best: inout BestCells
    ) {
        for plane in planes.lowerBound..<planes.upperBound {
            let rawA = UnsafeRawPointer(counts + plane * stride)
            let rawB = UnsafeRawPointer(counts + (plane + 1) * stride)
            var least = best.least
            for cell in Swift.stride(from: 0, to: cells, by: 8) {
                let byte = 2 * cell
                let sum =
                    rawA.loadUnaligned(fromByteOffset: byte, as: SIMD8<UInt16>.self)
                    &+ rawA.loadUnaligned(fromByteOffset: byte + 2, as: SIMD8<UInt16>.self)
                    &+ rawB.loadUnaligned(fromByteOffset: byte, as: SIMD8<UInt16>.self)
                    &+ rawB.loadUnaligned(fromByteOffset: byte + 2, as: SIMD8<UInt16>.self)
                // Nearly all of the table is below the bar: eight comparisons are looked at as two words. Sums and bar
                // are below 2^15, so the top bit of a difference is its sign.
                let above = unsafeBitCast(SIMD8(repeating: least) &- sum, to: SIMD2<UInt64>.self)
                guard (above[0] | above[1]) & 0x8000_8000_8000_8000 != 0 else { continue }
                for lane in 0..<8 where sum[lane] > least {
                    best.insert(
                        VotedCell(
                            votes: sum[lane], plane: UInt16(plane),
                            cell: UInt32(max(0, firstCell + cell + lane))))
                    least = best.least
                }
            }
        }
    }
}

/// A block of 2 × 2 cells, named by its lower corner, and its votes.
struct VotedCell: Sendable {
    var votes: UInt16
    var plane: UInt16
    var cell: UInt32

    /// The order of candidates: most votes first, then time, then skew.
    static func precedes(_ a: VotedCell, _ b: VotedCell) -> Bool {
        if a.votes != b.votes { return a.votes > b.votes }
        return a.cell != b.cell ? a.cell < b.cell : a.plane < b.plane
    }

    /// The frame on the timeline at the block's middle.
    var frame: Int { (Int(cell) + 1) * Timeline.cellFrames }
    /// The frequency skew at the block's middle, in octaves.
    var octaves: Float {
        Float(Int(plane) + 1 - VoteTable.planes / 2) / VoteTable.planesPerOctave
    }
}
