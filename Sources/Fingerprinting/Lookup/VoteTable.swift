import Glibc
import Synchronization

/// A histogram of hits in cells of (reference time of the query's middle) × (frequency skew).
///
/// A cell is 8 frames (0.256 s) by 1/96 octave (0.7 %). Candidates are blocks of 2 × 2 cells, so no hit is lost at an
/// edge. Hits first go to one bucket for each segment of the timeline. Then one small table counts them, segment by
/// segment; it stays in the cache whatever the size of the catalog.
struct VoteTable: Sendable {
    /// The number of ranges of skew, centred on no skew.
    static let planes = 20
    static let planesPerOctave: Float = 96
    /// The largest skew with a plane, with room for half a step of a posting.
    static let widestOctaves: Float = 0.1
    /// A cell with this many votes takes no more, so that a block's sum stays below 2^15.
    static let mostVotes: UInt16 = 8176

    /// The plane of a skew of at most 10/96 octave.
    static func plane(octaves: Float) -> Int { Int(octaves * planesPerOctave + Float(planes / 2)) }

    /// A segment has this many cells: its counts fit the second-level cache.
    private static let smallestSegmentBits = 13
    /// In large catalogs segments are longer, so that there are at most this many.
    private static let mostSegments = 4096

    /// How many runs of postings are prefetched at once.
    private static let runsAhead = 64

    /// The largest table that is always scanned from end to end, which is quickest for few cells.
    private static let mostCellsSwept = 1 << 16
    /// A larger table with more cells than this to a hit is scanned hit by hit.
    private static let cellsPerHit = 16
    /// Marks a cell whose blocks were scanned.
    private static let seenFlag: UInt16 = 0x8000
    private static let votesMask: UInt16 = 0x7FFF

    /// The number of a hit is its cell's place, with its votes in the top four bits.
    private static let hitVotesShift: UInt32 = 28
    private static let hitPlaceMask: UInt32 = 1 << hitVotesShift - 1

    private let cellCount: Int
    /// The votes of a hit that is alone in its posting list, 1 … 15.
    ///
    /// The more cells there are, the less likely it falls into one by chance (Experiments.md, "Votes by posting list").
    private let loneVotes: Int
    /// The binary logarithm of the number of cells in a segment.
    private let segmentBits: Int
    /// Counts from one plane to the next: the last cell of the previous segment, and the segment's own.
    private let stride: Int
    private var counts: [UInt16]
    private var hits: HitBuckets

    init(cellCount: Int) {
        self.cellCount = cellCount
        loneVotes = Int(min(max((0.6 * log2(Double(max(1, cellCount))) - 3.4).rounded(), 1), 15))
        var bits = Self.smallestSegmentBits
        while cellCount >> bits >= Self.mostSegments { bits += 1 }
        segmentBits = bits
        stride = 1 << bits + 16
        counts = [UInt16](repeating: 0, count: stride * Self.planes)
        hits = HitBuckets(count: cellCount >> bits + 1)
    }

    mutating func add(_ keys: LookupKeys, of postings: FrozenArray<UInt32>) {
        let segmentBits = segmentBits
        let cellCount = UInt(cellCount)
        let mask = 1 << segmentBits - 1
        let stride = Int32(stride)
        hits.fill(most: keys.postingCount) { buckets in
            for (place, run) in keys.runs.enumerated() {
                if place % Self.runsAhead == 0 {
                    buckets.touch(keys.runs[place...].prefix(Self.runsAhead), of: postings)
                }
                guard postings.isIntact(Int(run.start)..<Int(run.start) + Int(run.count)) else { continue }
                let bucket = keys.buckets[Int(run.bucket)]
                let votes = UInt32(run.votes(lone: loneVotes)) << Self.hitVotesShift
                let run = UnsafeBufferPointer(start: postings.base + Int(run.start), count: Int(run.count))
                withUnsafeBytes(of: bucket.planes &* stride) { planes in
                    let planes = planes.bindMemory(to: Int32.self)
                    for posting in run {
                        let plane = Int(planes[Int(posting & 7)])
                        let cell = (Int(posting >> 3) * Posting.frames + bucket.shift) >> 3
                        guard plane >= 0, UInt(bitPattern: cell) < cellCount else { continue }
                        buckets.append(
                            votes | UInt32(truncatingIfNeeded: plane + cell & mask + 1),
                            to: cell >> segmentBits)
                    }
                }
            }
        }
    }

    /// The blocks with the most votes in the given planes, best first; clears all counts.
    ///
    /// Of blocks that share a cell only the best is returned. Equal ones are in order of time, then skew.
    mutating func takeBest(_ most: Int, planes: ClosedRange<Int>) -> [VotedCell] {
        // One hit alone makes no candidate.
        var best = BestCells(capacity: 4 * most, least: UInt16(max(2, loneVotes)))
        let stride = stride
        let segmentBits = segmentBits
        let hits = self.hits
        counts.withUnsafeMutableBufferPointer { counts in
            guard let counts = counts.baseAddress else { return }
            var isCarrying = false
            for segment in 0..<hits.count {
                guard isCarrying || !hits.isEmpty(segment) else { continue }
                var hitCount = 0
                hits.forEach(of: segment) { hit in
                    let place = Int(hit & Self.hitPlaceMask)
                    let count = counts[place]
                    let votes = UInt16(truncatingIfNeeded: hit >> Self.hitVotesShift)
                    counts[place] = count &+ (count < Self.mostVotes ? votes : 0)
                    hitCount += 1
                }
                let firstCell = segment << segmentBits - 1
                // Where hits are few, only their cells are scanned and cleared.
                let cells = planes.count << segmentBits
                if cells > Self.mostCellsSwept, hitCount * Self.cellsPerHit < cells {
                    hits.forEach(of: segment) { hit in
                        Self.scan(
                            at: Int(hit & Self.hitPlaceMask), counts, stride, planes, cells: 1 << segmentBits,
                            firstCell: firstCell, into: &best)
                    }
                    for plane in planes {
                        Self.scan(
                            at: plane * stride, counts, stride, planes, cells: 1 << segmentBits,
                            firstCell: firstCell, into: &best)
                    }
                    var carried = SIMD32<UInt16>(repeating: 0)
                    for plane in planes {
                        carried[plane] = counts[plane * stride + 1 << segmentBits] & Self.votesMask
                    }
                    hits.forEach(of: segment) { counts[Int($0 & Self.hitPlaceMask)] = 0 }
                    for plane in planes { counts[plane * stride] = carried[plane] }
                } else {
                    Self.sweep(
                        counts, stride, planes, cells: 1 << segmentBits, firstCell: firstCell, into: &best)
                    for plane in planes {
                        let row = counts + plane * stride
                        let last = row[1 << segmentBits]
                        row.update(repeating: 0, count: 1 << segmentBits + 1)
                        row[0] = last
                    }
                }
                isCarrying = !hits.isEmpty(segment)
            }
            for plane in planes { counts[plane * stride] = 0 }
        }
        return best.distinct(most)
    }

    /// Scans the blocks around a cell with hits in which it is the first cell with the most votes.
    ///
    /// A block above the bar has a cell with a quarter of its votes; so most cells need no scan.
    @inline(__always)
    private static func scan(
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
                // Nearly all sums are below the bar, so eight comparisons are tested as two words. Sums and bar are
                // below 2^15, so the top bit of a difference is its sign.
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

/// Vote tables of one timeline, reused from query to query.
final class VoteTablePool: Sendable {
    private let cellCount: Int
    private let idle = Mutex<[VoteTable]>([])

    init(cellCount: Int) { self.cellCount = cellCount }

    func withTable<R>(_ body: (inout VoteTable) -> R) -> R {
        var table = idle.withLock { $0.popLast() } ?? VoteTable(cellCount: cellCount)
        let result = body(&table)
        idle.withLock { [table] in $0.append(table) }
        return result
    }
}

/// A block of 2 × 2 cells, identified by its lower corner, and its votes.
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
    var octaves: Float { Float(Int(plane) + 1 - VoteTable.planes / 2) / VoteTable.planesPerOctave }
}

/// The cells with the most votes so far, with a rising bar that keeps the list short.
struct BestCells: Sendable {
    private static let mostVotes = 4095
    private let capacity: Int
    private var cells: [VotedCell] = []
    private var cellsWithVotes = [Int](repeating: 0, count: BestCells.mostVotes + 1)
    /// The number of cells above the bar.
    private var cellsAbove = 0
    /// The bar: cells with no more votes than this are not needed.
    private(set) var least: UInt16

    init(capacity: Int, least: UInt16) {
        self.capacity = max(capacity, 1)
        self.least = least
        cells.reserveCapacity(8 * self.capacity)
    }

    mutating func insert(_ cell: VotedCell) {
        cells.append(cell)
        cellsWithVotes[min(Int(cell.votes), Self.mostVotes)] += 1
        cellsAbove += 1
        while Int(least) + 1 < Self.mostVotes, cellsAbove - cellsWithVotes[Int(least) + 1] >= capacity {
            least += 1
            cellsAbove -= cellsWithVotes[Int(least)]
        }
        if cells.count >= 8 * capacity, cellsAbove < 4 * capacity {
            let bar = least
            cells.removeAll { $0.votes <= bar }
        }
    }

    /// The best `most` cells that do not overlap.
    func distinct(_ most: Int) -> [VotedCell] {
        var chosen: [VotedCell] = []
        for cell in cells.lazy.filter({ $0.votes > least }).sorted(by: VotedCell.precedes) {
            if chosen.count == most { break }
            let overlaps = chosen.contains {
                abs(Int($0.cell) - Int(cell.cell)) <= 1 && abs(Int($0.plane) - Int(cell.plane)) <= 1
            }
            if !overlaps { chosen.append(cell) }
        }
        return chosen
    }
}
