import Glibc

/// Looks for a reference's peaks in the query's whole spectrogram of a band: evidence too faint to be a peak.
///
/// Frames and bins are those of the band. A cell's height is its log2 power less the mean over ±24 bins and ±12 frames,
/// limited to −2…4. It sums the heights at the expected places of the reference's peaks. Controls are 16 shifts of time,
/// with the key, density and noise of the passage, and 16 shifts of frequency, with its rhythm.
struct SpectralContrast: Sendable {
    private static let reach = 12
    private static let unit: Float = 1024
    private let band: Band
    private var bins: Int { band.rowBins }
    private var groups: Int { band.rowBins / SpectralGrid.groupBins }
    /// The shifts in frames, and in bins: 8 on each side, 2.8 … 13.4.
    private static let shifts = {
        var shifts = SIMD16<Float>.zero
        for place in 0..<16 {
            let shift: Float = 2.8 + Float(place / 2) * (10.6 / 7)
            shifts[place] = place % 2 == 0 ? -shift : shift
        }
        return shifts
    }()

    private let rowCount: Int
    private let levels: [Float]
    /// For each row, the mean over ±`reach` rows of the sum of all groups below a group.
    private let sums: [Float]

    /// Prepares a spectrogram of rows of log2 power, `Band.rowBins` values each.
    init(spectrogram: [Float], of band: Band) {
        self.band = band
        levels = spectrogram
        rowCount = spectrogram.count / band.rowBins
        sums = Self.runningSums(
            of: spectrogram, rowCount: rowCount, groups: band.rowBins / SpectralGrid.groupBins)
    }

    /// Takes heights that are already relative to their surroundings.
    init(heights: [Float], rowCount: Int, of band: Band) {
        self.band = band
        levels = heights
        self.rowCount = rowCount
        sums = [Float](repeating: 0, count: rowCount * (band.rowBins / SpectralGrid.groupBins + 1))
    }

    private static func runningSums(of levels: [Float], rowCount: Int, groups: Int) -> [Float] {
        // Whole numbers of units make running sums exact.
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
            let scale =
                1
                / (unit * Float(SpectralGrid.groupBins) * Float(min(newest, rowCount - 1) - max(oldest, -1)))
            var sum: Float = 0
            sums.append(0)
            for group in 0..<groups {
                sum += Float(totals[group]) * scale
                sums.append(sum)
            }
        }
        return sums
    }

    /// The contrast at the peaks of an alignment.
    ///
    /// - Parameters:
    ///   - frames: The reference peaks' times since the candidate's reference frame, in frames of the middle band.
    ///   - octaves: The reference peaks' frequencies in octaves above one bin of the middle band; those of other bands
    ///     are left out.
    func contrast(
        frames: UnsafeBufferPointer<Float>, octaves: UnsafeBufferPointer<Float>, queryFrame: Int,
        _ alignment: Alignment
    ) -> Contrast {
        guard rowCount > 1, !frames.isEmpty else { return Contrast() }
        let slope = 1 / (1 + alignment.timeSkew)
        let bands = Band.Crossovers()
        let last = Float(rowCount - 1)
        let shifts = Self.shifts
        var aligned = Tally()
        var (shifted, detuned) = (Tallies(), Tallies())
        withGrid { grid in
            for peak in 0..<frames.count where bands.place(octaves: octaves[peak]) == band.place {
                let time = (Float(queryFrame) + (frames[peak] - alignment.shift) * slope) / band.frame
                guard time > -14, time < Float(rowCount) + 14 else { continue }
                let bin = exp2f(octaves[peak] + alignment.octaves) / band.bin
                let isWithin = time >= 0 && time < last
                if isWithin {
                    let bins = bin + shifts
                    detuned.add(grid.heights(time, bins), where: grid.contains(bins))
                }
                guard grid.contains(bin) else { continue }
                if isWithin { aligned.add(grid.height(time, bin)) }
                let times = time + shifts
                shifted.add(grid.heights(times, bin), where: (times .>= 0) .& (times .< last))
            }
        }
        guard aligned.count > 0 else { return Contrast() }
        return Contrast(
            count: aligned.count, mean: aligned.mean, shiftedMean: shifted.mean,
            detunedMean: detuned.mean)
    }

    /// The height of a place in the spectrogram, in log2 power; nil outside, or without a spectrogram.
    func height(frame: Float, bin: Float) -> Float? {
        withGrid { grid in
            grid.contains(bin) ? grid.height(min(max(frame, 0), Float(rowCount) - 1.01), bin) : nil
        } ?? nil
    }

    /// Passes the spectrogram to read from its first row until just before its last; nil if it has fewer than two.
    @inline(__always)
    private func withGrid<R>(_ body: (SpectralGrid) -> R) -> R? {
        levels.withUnsafeBytes { levels in
            sums.withUnsafeBytes { sums in
                SpectralGrid(levels, sums, bins: bins, latest: Float(rowCount - 1).nextDown).map(body)
            }
        }
    }

    /// Rows of heights, each the mean over `step` rows of the spectrogram from `from` on, or one of them where `step` is
    /// less.
    ///
    /// Here a height is above the mean of its group of bins and the two beside it in the same row. So an onset in all
    /// frequencies does not count. Rows after the end are zero.
    func rowHeights(bins: Range<Int>, from: Float, step: Float, count: Int) -> [Float] {
        var heights = [Float](repeating: 0, count: count * bins.count)
        let rowsToStep = max(1, Int(step))
        let share = 1 / Float(rowsToStep)
        let firstGroup = bins.lowerBound / SpectralGrid.groupBins
        let lastGroup = (bins.upperBound - 1) / SpectralGrid.groupBins
        var means = [Float](repeating: 0, count: groups)
        heights.withUnsafeMutableBufferPointer { heights in
            levels.withUnsafeBufferPointer { levels in
                guard let heights = heights.baseAddress, let levels = levels.baseAddress else { return }
                for place in 0..<count * rowsToStep {
                    let row = Int(from + Float(place / rowsToStep) * step) + place % rowsToStep
                    guard row < rowCount else { continue }
                    for group in max(0, firstGroup - 1)...min(groups - 1, lastGroup + 1) {
                        var sum: Float = 0
                        for bin in 0..<SpectralGrid.groupBins {
                            sum += levels[row * self.bins + group * SpectralGrid.groupBins + bin]
                        }
                        means[group] = sum / Float(SpectralGrid.groupBins)
                    }
                    let target = place / rowsToStep * bins.count - bins.lowerBound
                    for group in firstGroup...lastGroup {
                        let near = max(0, group - 1)...min(groups - 1, group + 1)
                        var mean: Float = 0
                        for other in near { mean += means[other] }
                        mean /= Float(near.count)
                        let first = max(bins.lowerBound, group * SpectralGrid.groupBins)
                        let end = min(bins.upperBound, (group + 1) * SpectralGrid.groupBins)
                        Self.addHeights(
                            levels + row * self.bins + first, above: mean, share: share,
                            count: end - first, to: heights + target + first)
                    }
                }
            }
        }
        return heights
    }

    /// Adds a share of some levels above a mean, limited to −2…4.
    @inline(__always)
    private static func addHeights(
        _ levels: UnsafePointer<Float>, above mean: Float, share: Float, count: Int,
        to heights: UnsafeMutablePointer<Float>
    ) {
        guard count == SpectralGrid.groupBins else {
            for bin in 0..<count { heights[bin] += share * min(max(levels[bin] - mean, -2), 4) }
            return
        }
        let level = UnsafeRawPointer(levels).loadUnaligned(as: SIMD16<Float>.self)
        let target = UnsafeMutableRawPointer(heights)
        let sum =
            target.loadUnaligned(as: SIMD16<Float>.self)
            + share * (level - mean).limited(to: 4, where: SIMDMask(repeating: true))
        target.storeBytes(of: sum, as: SIMD16<Float>.self)
    }

    private struct Tally {
        var sum: Float = 0
        var count = 0

        var mean: Float { count > 0 ? sum / Float(count) : 0 }

        @inline(__always)
        mutating func add(_ height: Float) {
            sum += min(max(height, -2), 4)
            count += 1
        }
    }

    /// The heights at each of sixteen shifts.
    private struct Tallies {
        private var sums = SIMD16<Float>.zero
        private var counts = SIMD16<Int32>.zero

        @inline(__always)
        mutating func add(_ heights: SIMD16<Float>, where isKnown: SIMDMask<SIMD16<Int32>>) {
            sums += heights.limited(to: 4, where: isKnown)
            counts &-= unsafeBitCast(isKnown, to: SIMD16<Int32>.self)
        }

        /// The mean over the shifts of the mean height.
        var mean: Float {
            var sum: Float = 0
            for shift in sums.indices {
                sum += counts[shift] > 0 ? sums[shift] / Float(counts[shift]) : 0
            }
            return sum / Float(SIMD16<Float>.scalarCount)
        }
    }
}

extension SIMD16<Float> {
    /// Some of the heights, limited to −2…`highest`; the others are 0.
    @inline(__always)
    fileprivate func limited(to highest: Float, where isKnown: SIMDMask<SIMD16<Int32>>) -> Self {
        let raised = replacing(with: -2, where: self .< -2)
        return Self.zero.replacing(
            with: raised.replacing(with: highest, where: raised .> highest), where: isKnown)
    }
}

/// The height of a query's spectrogram at a reference's peaks, and at shifts of time and of frequency.
struct Contrast: Sendable {
    var count = 0
    /// The mean height there, in log2 power.
    var mean: Float = 0
    /// The mean over the shifts of time of the mean height.
    var shiftedMean: Float = 0
    /// The mean over the shifts of frequency of the mean height.
    var detunedMean: Float = 0

    /// The height gained over other frequencies, summed over independent peaks: in log2 power.
    ///
    /// Two pieces of one rhythm gain over other times, and little over other frequencies.
    var frequencyGain: Double { Double(mean - detunedMean) * Double(count).squareRoot() }
}

extension Contrast {
    /// The contrast of all peaks of several bands.
    init(of bands: [Contrast]) {
        self.init()
        count = bands.reduce(0) { $0 + $1.count }
        guard count > 0 else { return }
        let total = Float(count)
        func mean(_ value: KeyPath<Contrast, Float>) -> Float {
            bands.reduce(0) { $0 + Float($1.count) * $1[keyPath: value] } / total
        }
        self.mean = mean(\.mean)
        shiftedMean = mean(\.shiftedMean)
        detunedMean = mean(\.detunedMean)
    }
}

// MARK: - Without a spectrogram

extension SpectralContrast {
    /// The height of a place without a peak, in log2 power above its surroundings.
    private static let background: Float = -0.5
    /// The fall of a peak for the square of the distance in rows.
    private static let slopeOfRows: Float = 0.35
    /// The fall of a peak for the square of the distance in bins: the main lobe of a Hann window.
    private static let slopeOfBins: Float = 2

    /// Approximates the spectrogram of a query by its peaks and their heights: each peak is a hill on level ground.
    ///
    /// For the hardest queries that can be matched, this matches a few per cent less often than the spectrogram.
    init(peaks: [Peak], rowCount: Int, of band: Band) {
        var levels = [Float](repeating: Self.background, count: rowCount * band.rowBins)
        levels.withUnsafeMutableBufferPointer { levels in
            for peak in peaks where Band.place(of: peak.frequency) == band.place {
                Self.paint(peak, rowCount: rowCount, of: band, onto: levels)
            }
        }
        self.init(heights: levels, rowCount: rowCount, of: band)
    }

    private static func paint(
        _ peak: Peak, rowCount: Int, of band: Band, onto levels: UnsafeMutableBufferPointer<Float>
    ) {
        let frame = peak.frames / band.frame
        let bin = peak.bins / band.bin
        // Of a long query only the beginning is drawn.
        let rows = (Int(frame) - 3..<Int(frame) + 5).clamped(to: 0..<rowCount)
        let bins = (Int(bin) - 2..<Int(bin) + 4).clamped(to: 0..<band.rowBins)
        for row in rows {
            let distance = Float(row) - frame
            let top = peak.heightLog2 - slopeOfRows * distance * distance
            for column in bins {
                let aside = Float(column) - bin
                let cell = row * band.rowBins + column
                levels[cell] = max(levels[cell], top - slopeOfBins * aside * aside)
            }
        }
    }
}
