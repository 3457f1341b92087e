internal import CKernels

/// The mean level around a cell of the spectrogram: over about ±48 bins and ±1 s.
///
/// Sums of 16 neighbouring bins are whole numbers of 1/1024. So running sums are exact, and the envelope of a passage
/// does not depend on earlier audio. Only groups of the band are summed.
struct Envelope: Sendable {
    /// The number of sums of a row.
    let groups: Int
    private static let unit: Float = 1024
    private static let groupReach = 3
    private let reach: Int
    private var ring: [Int32]
    private var totals: [Int32]
    private let firstGroup: Int
    private var rowCount = 0
    private var rowsInTotals = 0

    /// Averages rows over `reach` frames on either side, from `lowBin` through `highBin`.
    init(reach: Int, lowBin: Int, highBin: Int) {
        self.reach = reach
        firstGroup = lowBin / 16
        groups = max(1, highBin / 16 + 1 - firstGroup)
        totals = [Int32](repeating: 0, count: groups)
        ring = [Int32](repeating: 0, count: (2 * reach + 1) * groups)
    }

    /// Writes the sums of a row of powers.
    func sum(row: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Int32>) {
        earshot_sum_logarithms(sums, row + 16 * firstGroup, groups)
    }

    /// Takes the next row of powers; the centre becomes the frame `reach` before it.
    mutating func append(row: UnsafePointer<Float>) {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: groups) { sums in
            guard let base = sums.baseAddress else { return }
            sum(row: row, to: base)
            append(sums: base)
        }
    }

    /// Takes the sums of the next row.
    mutating func append(sums: UnsafePointer<Int32>) {
        let slot = rowCount % (2 * reach + 1) * groups
        ring.withUnsafeMutableBufferPointer { ring in
            totals.withUnsafeMutableBufferPointer { totals in
                for group in 0..<groups {
                    totals[group] &+= sums[group] &- ring[slot &+ group]
                    ring[slot &+ group] = sums[group]
                }
            }
        }
        rowCount += 1
        rowsInTotals = min(rowCount, 2 * reach + 1)
    }

    /// Removes the oldest row after the end of the rows: the centre moves on by one frame.
    mutating func shrink() {
        let oldest = rowCount % (2 * reach + 1) * groups
        // Before the ring is full, the slot after the newest row is still all zeros.
        if rowCount > 2 * reach { rowsInTotals -= 1 }
        for group in 0..<groups {
            totals[group] &-= ring[oldest + group]
            ring[oldest + group] = 0
        }
        rowCount += 1
    }

    /// The mean log2 power around `bin` in the centre frame.
    func level(aroundBin bin: Int) -> Float {
        let group = min(max(bin / 16 - firstGroup, 0), groups - 1)
        let near = max(0, group - Self.groupReach)...min(groups - 1, group + Self.groupReach)
        var sum: Int32 = 0
        for group in near { sum &+= totals[group] }
        return Float(sum) / (Self.unit * 16 * Float(near.count * max(rowsInTotals, 1)))
    }
}
