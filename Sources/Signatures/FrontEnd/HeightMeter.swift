/// Measures the heights of peaks above their surroundings, row by row, in a fixed amount of memory.
///
/// A height is the level between four cells less the mean over ±24 bins and ±12 frames, in log2 power, as in
/// `SpectralContrast`.
struct HeightMeter: Sendable {
    private static let groupBins = 16
    private let bins: Int
    private let groups: Int
    private static let reach = 12
    /// Half the width of the mean, in groups of bins.
    private static let halfWidth: Float = 1.5
    /// Rows in memory: more than `Settings.Analysis.envelopeFrames`, after which a frame is measured.
    private static let rowsKept = 64

    /// log2 power of the latest rows.
    private var levels: [Float]
    /// For each of these rows the sums over all groups below a group.
    private var sums: [Float]
    private var rowCount = 0

    /// Measures in rows of `bins`.
    init(bins: Int) {
        self.bins = bins
        groups = bins / Self.groupBins
        levels = [Float](repeating: 0, count: Self.rowsKept * bins)
        sums = [Float](repeating: 0, count: Self.rowsKept * (groups + 1))
    }

    mutating func append(row: UnsafePointer<Float>) {
        let slot = rowCount % Self.rowsKept
        rowCount += 1
        levels.withUnsafeMutableBufferPointer { levels in
            guard let base = levels.baseAddress else { return }
            let target = base + slot * bins
            target.update(from: row, count: bins)
            BinaryLogarithm.apply(target, count: bins, floor: 0)
            var sum: Float = 0
            for group in 0..<groups {
                for bin in 0..<Self.groupBins { sum += target[group * Self.groupBins + bin] }
                sums[slot * (groups + 1) + group + 1] = sum
            }
        }
    }

    /// The height of a place at most `rowsKept` − 13 rows before the latest one.
    func height(frame: Float, bin: Float) -> Float {
        let place = min(max(frame, 0), Float(rowCount) - 1.01)
        let row = max(0, Int(place))
        let column = min(max(Int(bin), 0), bins - 2)
        let down = max(0, place - Float(row))
        let right = min(max(bin - Float(column), 0), 1)
        let near = level(row, column, right)
        let far = level(min(row + 1, rowCount - 1), column, right)
        return near + (far - near) * down - mean(around: row, bin: bin)
    }

    private func level(_ row: Int, _ column: Int, _ right: Float) -> Float {
        let cell = row % Self.rowsKept * bins + column
        return levels[cell] + (levels[cell + 1] - levels[cell]) * right
    }

    private func mean(around row: Int, bin: Float) -> Float {
        let centre = bin / Float(Self.groupBins)
        let low = max(0, centre - Self.halfWidth)
        let high = min(Float(groups), centre + Self.halfWidth)
        let oldest = max(row - Self.reach, rowCount - Self.rowsKept, 0)
        let newest = min(row + Self.reach, rowCount - 1)
        var sum: Float = 0
        for other in oldest...max(oldest, newest) {
            let start = other % Self.rowsKept * (groups + 1)
            sum += below(high, start) - below(low, start)
        }
        return sum / (Float(max(1, newest - oldest + 1)) * (high - low) * Float(Self.groupBins))
    }

    /// The sum over all groups below a place, which may be within a group.
    private func below(_ place: Float, _ start: Int) -> Float {
        let group = min(Int(place), groups - 1)
        let first = sums[start + group]
        return first + (sums[start + group + 1] - first) * (place - Float(group))
    }
}
