/// Counts hits in cells of (reference time of the query's middle) × (frequency skew).
///
/// A cell is 8 frames (0.256 s) by 20/2048 octave (0.7 %); candidates are blocks of 2 × 2 cells, so
/// no hit is lost at an edge. All counts are zero between uses.
struct VoteTable: Sendable {
    /// How many ranges of skew there are, centred on none.
    static let planes = 20
    /// The width of a range in steps of 1/2048 octave.
    static let planeSteps = 20

    /// No cell counts further, so that a block's sum stays below 2^15.
    static let mostVotes: UInt16 = 8191

    private(set) var cellCount = 0
    private var stride = 0
    private var counts: [UInt16] = []

    /// Makes room for a timeline of `cellCount` cells.
    mutating func prepare(cellCount: Int) {
        guard cellCount != self.cellCount else { return }
        self.cellCount = cellCount
        stride = (cellCount + 1 + 31) / 16 * 16
        counts = [UInt16](repeating: 0, count: stride * Self.planes)
    }

    /// Lends the counts; cell c of plane p is at p · `stride` + c.
    mutating func withCounts(_ body: (_ counts: UnsafeMutablePointer<UInt16>, _ stride: Int) -> Void) {
        let stride = self.stride
        counts.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { body(base, stride) } }
    }

    /// The blocks with the most votes among the given planes, best first; sets all counts back to zero.
    ///
    /// Of blocks that share a cell only the best is given; equal ones in order of time, then skew.
    mutating func takeBest(_ most: Int, planes: ClosedRange<Int>) -> [VotedCell] {
        var best = BestCells(capacity: 4 * most)
        let stride = self.stride
        counts.withUnsafeMutableBufferPointer { counts in
            guard let base = counts.baseAddress else { return }
            for plane in planes.lowerBound..<planes.upperBound {
                Self.sweep(
                    base + plane * stride, base + (plane + 1) * stride, stride, plane: plane, into: &best)
                (base + plane * stride).update(repeating: 0, count: stride)
            }
            (base + planes.upperBound * stride).update(repeating: 0, count: stride)
        }
        return best.distinct(most)
    }

    private static func sweep(
        _ a: UnsafePointer<UInt16>, _ b: UnsafePointer<UInt16>, _ stride: Int, plane: Int,
        into best: inout BestCells
    ) {
        let rawA = UnsafeRawPointer(a)
        let rawB = UnsafeRawPointer(b)
        var least = best.least
        for cell in Swift.stride(from: 0, to: stride - 16, by: 8) {
            let byte = 2 * cell
            let sum =
                rawA.loadUnaligned(fromByteOffset: byte, as: SIMD8<UInt16>.self)
                &+ rawA.loadUnaligned(fromByteOffset: byte + 2, as: SIMD8<UInt16>.self)
                &+ rawB.loadUnaligned(fromByteOffset: byte, as: SIMD8<UInt16>.self)
                &+ rawB.loadUnaligned(fromByteOffset: byte + 2, as: SIMD8<UInt16>.self)
            // Nearly all of the table is below the bar: eight comparisons are looked at as two words. Sums and bar are
            // below 2^15, so the top bit of a difference is its sign.
            let above = unsafeBitCast(SIMD8(repeating: least) &- sum, to: SIMD2<UInt64>.self)
            guard (above[0] | above[1]) & 0x8000_8000_8000_8000 != 0 else { continue }
            for lane in 0..<8 where sum[lane] > least {
                best.insert(VotedCell(votes: sum[lane], plane: UInt16(plane), cell: UInt32(cell + lane)))
                least = best.least
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
        Float((Int(plane) + 1 - VoteTable.planes / 2) * VoteTable.planeSteps) / PairIndex.stepsPerOctave
    }
}

/// The cells with the most votes seen so far, with a rising bar that keeps the list short.
struct BestCells: Sendable {
    private static let mostVotes = 4095
    private let capacity: Int
    private var cells: [VotedCell] = []
    private var cellsWithVotes = [Int](repeating: 0, count: BestCells.mostVotes + 1)
    /// How many of the cells are above the bar.
    private var cellsAbove = 0
    /// The bar: only more votes than this are of interest, as enough cells have them.
    private(set) var least: UInt16 = 2

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
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
