#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Asks the query's whole spectrogram whether a reference's peaks are in it: evidence that never became a peak.
///
/// A cell's height is its log2 power less the mean over ±24 bins and ±0.38 s around it, kept within −2…4. Where
/// the reference's peaks should be, heights are summed, and so they are at 16 shifts of time: the controls share
/// key, density and noise with the passage.
struct SpectralContrast: Sendable {
    private static let reach = 12
    private static let unit: Float = 1024
    private static let bins = SpectrumRows.rowBins
    private static let groupBins = 16
    private static let groups = bins / groupBins
    /// Half the width of the mean, in groups of bins.
    private static let halfWidth: Float = 1.5
    /// The shifts in frames: 8 on each side, 0.09 … 0.43 s.
    private static let shifts: [Float] = (0..<8).map { 2.8 + Float($0) * (10.6 / 7) }.flatMap { [-$0, $0] }

    private let rowCount: Int
    private let levels: [Float]
    /// For each row, the sums over ±`reach` rows of all groups below a group, and over the rows' number.
    private let sums: [Float]

    /// Prepares a spectrogram of rows of log2 power, `SpectrumRows.rowBins` values each.
    init(spectrogram: [Float]) {
        levels = spectrogram
        rowCount = spectrogram.count / Self.bins
        sums = Self.runningSums(of: spectrogram, rowCount: rowCount)
    }

    /// Takes heights as they are: nothing is taken off for what surrounds them.
    init(heights: [Float], rowCount: Int) {
        levels = heights
        self.rowCount = rowCount
        sums = [Float](repeating: 0, count: rowCount * (Self.groups + 1))
    }

    private static func runningSums(of levels: [Float], rowCount: Int) -> [Float] {
        // Whole units make running sums exact.
        var rows = [Int32](repeating: 0, count: rowCount * groups)
        levels.withUnsafeBytes { levels in
            for group in 0..<rowCount * groups {
                let low = levels.loadUnaligned(fromByteOffset: group * 64, as: SIMD8<Float>.self)
                let high = levels.loadUnaligned(fromByteOffset: group * 64 + 32, as: SIMD8<Float>.self)
                rows[group] = Int32((low + high).sum() * unit)
            }
        }
        var totals = [Int32](repeating: 0, count: groups)
        var sums: [Float] = []
        sums.reserveCapacity(rowCount * (groups + 1))
        for row in 0..<min(reach, rowCount) {
            for group in 0..<groups { totals[group] &+= rows[row * groups + group] }
        }
        for row in 0..<rowCount {
            let newest = row + reach
            let oldest = row - reach - 1
            if newest < rowCount {
                for group in 0..<groups { totals[group] &+= rows[newest * groups + group] }
            }
            if oldest >= 0 { for group in 0..<groups { totals[group] &-= rows[oldest * groups + group] } }
            let scale = 1 / (unit * Float(groupBins) * Float(min(newest, rowCount - 1) - max(oldest, -1)))
            var sum: Float = 0
            sums.append(0)
            for group in 0..<groups {
                sum += Float(totals[group]) * scale
                sums.append(sum)
            }
        }
        return sums
    }

    /// What the spectrogram shows at the peaks of an alignment.
    ///
    /// - Parameters:
    ///   - frames: the reference peaks' times from the candidate's reference frame.
    ///   - octaves: the reference peaks' frequencies in octaves above one bin.
    func contrast(
        frames: UnsafeBufferPointer<Float>, octaves: UnsafeBufferPointer<Float>, queryFrame: Int,
        _ alignment: Alignment
    ) -> Contrast {
        guard rowCount > 1, !frames.isEmpty else { return Contrast() }
        let slope = 1 / (1 + alignment.timeSkew)
        var aligned = Tally()
        var shifted = [Tally](repeating: Tally(), count: Self.shifts.count)
        levels.withUnsafeBufferPointer { levels in
            sums.withUnsafeBufferPointer { sums in
                for peak in 0..<frames.count {
                    let time = Float(queryFrame) + (frames[peak] - alignment.shift) * slope
                    guard time > -14, time < Float(rowCount) + 14 else { continue }
                    let bin = exp2f(octaves[peak] + alignment.octaves)
                    aligned.add(Self.height(levels, sums, time, bin, rowCount))
                    for shift in Self.shifts.indices {
                        shifted[shift].add(
                            Self.height(levels, sums, time + Self.shifts[shift], bin, rowCount))
                    }
                }
            }
        }
        guard aligned.count > 0 else { return Contrast() }
        let shiftedMean = shifted.reduce(0) { $0 + $1.mean } / Float(shifted.count)
        return Contrast(count: aligned.count, mean: aligned.mean, shiftedMean: shiftedMean)
    }

    /// The height of a place in the spectrogram, in log2 power; nil outside, or without a spectrogram.
    func height(frame: Float, bin: Float) -> Float? {
        levels.withUnsafeBufferPointer { levels in
            sums.withUnsafeBufferPointer { sums in
                Self.height(levels, sums, min(max(frame, 0), Float(rowCount) - 1.01), bin, rowCount)
            }
        }
    }

    /// The level between four cells less the mean around it.
    @inline(__always)
    private static func height(
        _ levels: UnsafeBufferPointer<Float>, _ sums: UnsafeBufferPointer<Float>, _ time: Float, _ bin: Float,
        _ rowCount: Int
    ) -> Float? {
        guard time >= 0, time < Float(rowCount - 1), bin >= 1, bin < Float(bins - 2) else { return nil }
        let row = Int(time)
        let column = Int(bin)
        let down = time - Float(row)
        let right = bin - Float(column)
        let cell = row * bins + column
        let near = levels[cell] + (levels[cell + 1] - levels[cell]) * right
        let far = levels[cell + bins] + (levels[cell + bins + 1] - levels[cell + bins]) * right
        let centre = bin / Float(groupBins)
        let low = max(0, centre - halfWidth)
        let high = min(Float(groups), centre + halfWidth)
        let start = row * (groups + 1)
        let mean = (below(high, sums, start) - below(low, sums, start)) / (high - low)
        return near + (far - near) * down - mean
    }

    /// The sum over all groups below a place, which may lie within a group.
    @inline(__always)
    private static func below(_ place: Float, _ sums: UnsafeBufferPointer<Float>, _ start: Int) -> Float {
        let group = min(Int(place), groups - 1)
        let first = sums[start + group]
        return first + (sums[start + group + 1] - first) * (place - Float(group))
    }

    /// Heights added up.
    private struct Tally {
        var sum: Float = 0
        var count = 0

        var mean: Float { count > 0 ? sum / Float(count) : 0 }

        @inline(__always)
        mutating func add(_ height: Float?) {
            guard let height else { return }
            sum += min(max(height, -2), 4)
            count += 1
        }
    }
}

/// How much higher a query's spectrogram is where a reference's peaks should be than at shifts of time.
struct Contrast: Sendable {
    /// Reference peaks looked up.
    var count = 0
    /// The mean height there, in log2 power.
    var mean: Float = 0
    /// The mean over the shifts of the mean height.
    var shiftedMean: Float = 0

    /// The height gained, summed over independent peaks: in log2 power.
    var gain: Double { Double(mean - shiftedMean) * Double(count).squareRoot() }
}
