/// The mean level around a cell of the spectrogram: over about ±48 bins and ±1 s.
///
/// Works on sums of 16 neighbouring bins, kept in whole units of 1/1024 so that running sums
/// are exact and the envelope of a passage does not depend on what came before it.
struct Envelope: Sendable {
    private static let groups = SpectrumRows.rowBins / 16
    private static let unit: Float = 1024
    private static let groupReach = 3
    private let reach: Int
    private var ring: [Int32]
    private var totals = [Int32](repeating: 0, count: Envelope.groups)
    private var means = [Float](repeating: 0, count: Envelope.groups)
    private var firstGroup: Int
    private var lastGroup: Int
    private var rowCount = 0
    private var rowsInTotals = 0

    /// Averages over `reach` frames on either side, within the given bins.
    init(reach: Int, lowBin: Int, highBin: Int) {
        self.reach = reach
        firstGroup = lowBin / 16
        lastGroup = max(lowBin / 16, highBin / 16)
        ring = [Int32](repeating: 0, count: (2 * reach + 1) * Self.groups)
    }

    /// Takes the next row; the frame `reach` before it can then be asked for.
    mutating func append(row: UnsafePointer<Float>) {
        let slot = rowCount % (2 * reach + 1) * Self.groups
        let raw = UnsafeRawPointer(row)
        ring.withUnsafeMutableBufferPointer { ring in
            totals.withUnsafeMutableBufferPointer { totals in
                for group in 0..<Self.groups {
                    let low = raw.loadUnaligned(fromByteOffset: group * 64, as: SIMD8<Float>.self)
                    let high = raw.loadUnaligned(fromByteOffset: group * 64 + 32, as: SIMD8<Float>.self)
                    let sum = Int32((low + high).sum() * Self.unit)
                    totals[group] &+= sum &- ring[slot + group]
                    ring[slot + group] = sum
                }
            }
        }
        rowCount += 1
        rowsInTotals = min(rowCount, 2 * reach + 1)
        average()
    }

    /// Lets the oldest row go, past the end of the rows: the centre moves on by one frame.
    mutating func shrink() {
        let oldest = rowCount % (2 * reach + 1) * Self.groups
        // Before the ring is full, the slot after the newest row is still all zeros.
        if rowCount > 2 * reach { rowsInTotals -= 1 }
        for group in 0..<Self.groups {
            totals[group] &-= ring[oldest + group]
            ring[oldest + group] = 0
        }
        rowCount += 1
        average()
    }

    private mutating func average() {
        for group in firstGroup...lastGroup {
            let from = max(firstGroup, group - Self.groupReach)
            let to = min(lastGroup, group + Self.groupReach)
            var sum: Int32 = 0
            for other in from...to { sum &+= totals[other] }
            means[group] = Float(sum) / (Self.unit * 16 * Float((to - from + 1) * max(rowsInTotals, 1)))
        }
    }

    /// The mean log2 power around `bin` in the centre frame.
    func level(aroundBin bin: Int) -> Float { means[bin / 16] }
}
