/// Finds the cells of a spectrogram that are the largest within ±6 bins and ±2 frames.
///
/// Keeps five rows of powers and the sliding maxima of each. Of equal cells the earliest, then the lowest, is the
/// maximum. A parabola through three logarithms refines each place, in frequency and in time independently.
struct CandidateFinder: Sendable {
    private static let ring = 5
    private let band: Band
    private let bins: Int
    private let reach: Int
    private let lowBin: Int
    private let highBin: Int
    private let leastPower: Float
    private var rows: [Float]
    private var maxima: [Float]
    private var scratch: [Float]
    private var rowCount = 0

    /// Looks for peaks of a band within `hertz`.
    init(_ settings: Settings.Analysis, band: Band, hertz: Range<Double>) {
        precondition(settings.neighbourFrames == 2 && settings.neighbourBins == 6)
        self.band = band
        bins = band.rowBins
        reach = settings.neighbourBins
        // A peak at the edge of the band may be interpolated from the bin beyond.
        lowBin = max(reach, Int((hertz.lowerBound / band.binHertz).rounded()))
        highBin = min(Int((hertz.upperBound / band.binHertz).rounded()), bins - reach - 1)
        leastPower = settings.silencePower + SpectrumRows.floor
        rows = [Float](repeating: 0, count: Self.ring * bins)
        maxima = rows
        scratch = [Float](repeating: 0, count: bins)
    }

    /// Takes the next row and appends the peaks of the row two before it.
    mutating func append(row: UnsafePointer<Float>, to peaks: inout [CandidatePeak]) {
        let slot = rowCount % Self.ring * bins
        rows.withUnsafeMutableBufferPointer { rows in
            guard let rows = rows.baseAddress else { return }
            (rows + slot).update(from: row, count: bins)
        }
        slideMaximum(from: row, slot: slot)
        rowCount += 1
        find(frame: rowCount - 3, to: &peaks)
    }

    mutating func finish(to peaks: inout [CandidatePeak]) {
        // An empty frame follows the end. The last frame has no later neighbour, so it has no peaks.
        guard rowCount > 0 else { return }
        let slot = rowCount % Self.ring * bins
        for index in slot..<(slot + bins) {
            rows[index] = 0
            maxima[index] = 0
        }
        rowCount += 1
        find(frame: rowCount - 3, to: &peaks)
    }

    /// The maximum over bins k−6 … k+6 for every bin k, by doubling: 2, 4, 8, then 13 wide.
    private mutating func slideMaximum(from row: UnsafePointer<Float>, slot: Int) {
        let count = bins
        scratch.withUnsafeMutableBufferPointer { scratch in
            maxima.withUnsafeMutableBufferPointer { maxima in
                guard let a = scratch.baseAddress, let maxima = maxima.baseAddress else { return }
                let out = maxima + slot
                for k in 0..<(count - 1) { a[k] = row[k + 1] > row[k] ? row[k + 1] : row[k] }
                a[count - 1] = row[count - 1]
                for k in 0..<(count - 2) { a[k] = a[k + 2] > a[k] ? a[k + 2] : a[k] }
                for k in 0..<(count - 4) { a[k] = a[k + 4] > a[k] ? a[k + 4] : a[k] }
                for k in 0..<(count - 13) { out[k + 6] = a[k + 5] > a[k] ? a[k + 5] : a[k] }
            }
        }
    }

    private mutating func find(frame: Int, to peaks: inout [CandidatePeak]) {
        guard frame >= 1 else { return }
        func slot(_ offset: Int) -> Int { (frame + offset + Self.ring) % Self.ring * bins }
        rows.withUnsafeBufferPointer { rows in
            maxima.withUnsafeBufferPointer { maxima in
                scratch.withUnsafeMutableBufferPointer { scratch in
                    guard let rows = rows.baseAddress, let maxima = maxima.baseAddress,
                        let highest = scratch.baseAddress
                    else { return }
                    let row = rows + slot(0)
                    Self.maximum(
                        of: (
                            maxima + slot(-2), maxima + slot(-1), maxima + slot(0), maxima + slot(1),
                            maxima + slot(2)
                        ), bins: bins, into: highest)
                    guard lowBin <= highBin else { return }
                    for start in stride(from: lowBin / 16 * 16, through: highBin, by: 16)
                    where Self.agreesAnywhere(row + start, highest + start) {
                        for bin in max(start, lowBin)...min(start + 15, highBin)
                        where row[bin] == highest[bin] && row[bin] > leastPower {
                            let before = row + (bin - reach)
                            // Of equals the earliest, then the lowest, is the maximum.
                            guard (0..<reach).allSatisfy({ before[$0] < row[bin] }),
                                row[bin] > maxima[slot(-1) + bin], row[bin] > maxima[slot(-2) + bin],
                                rows[slot(1) + bin] > 0
                            else { continue }
                            let peak = Self.candidate(
                                frame: frame, bin: bin, row: row + bin, before: rows[slot(-1) + bin],
                                after: rows[slot(1) + bin], band)
                            if Band.place(of: peak.frequency) == band.place { peaks.append(peak) }
                        }
                    }
                }
            }
        }
    }

    private typealias Row = UnsafePointer<Float>

    /// The maximum of five rows, bin by bin.
    private static func maximum(
        of rows: (Row, Row, Row, Row, Row), bins: Int, into result: UnsafeMutablePointer<Float>
    ) {
        for k in 0..<bins {
            var value = rows.0[k]
            value = rows.1[k] > value ? rows.1[k] : value
            value = rows.2[k] > value ? rows.2[k] : value
            value = rows.3[k] > value ? rows.3[k] : value
            value = rows.4[k] > value ? rows.4[k] : value
            result[k] = value
        }
    }

    /// Whether two rows are equal in any of 16 bins.
    @inline(__always)
    private static func agreesAnywhere(_ a: Row, _ b: Row) -> Bool {
        let a = UnsafeRawPointer(a)
        let b = UnsafeRawPointer(b)
        let low = a.loadUnaligned(as: SIMD8<Float>.self) .== b.loadUnaligned(as: SIMD8<Float>.self)
        let high =
            a.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self)
            .== b.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self)
        let words = unsafeBitCast(low .| high, to: SIMD4<UInt64>.self)
        let pair = words.lowHalf | words.highHalf
        return pair[0] | pair[1] != 0
    }

    /// A peak of the spectrogram: its place by parabolas through logarithms, its level as log2 of power.
    private static func candidate(
        frame: Int, bin: Int, row: Row, before: Float, after: Float, _ band: Band
    ) -> CandidatePeak {
        let logarithms = BinaryLogarithm.log2(SIMD8(row[-1], row[0], row[1], before, after, 1, 1, 1))
        let level = logarithms[1]
        let inFrequency = vertex(logarithms[0], level, logarithms[2])
        let inTime = vertex(logarithms[3], level, logarithms[4])
        let timeSteps = band.frame * Float(FrequencyScale.timeSteps)
        let frequencySteps = band.bin * Float(FrequencyScale.frequencySteps)
        return CandidatePeak(
            frame: Int32(frame), bin: Int32(bin),
            time: UInt32(frame * Int(timeSteps) + Int((inTime * timeSteps).rounded())),
            frequency: UInt16(bin * Int(frequencySteps) + Int((inFrequency * frequencySteps).rounded())),
            level: level)
    }

    /// The vertex of the parabola through three equidistant values, −0.5…0.5 from the middle one.
    private static func vertex(_ before: Float, _ middle: Float, _ after: Float) -> Float {
        let curvature = before - 2 * middle + after
        guard curvature < 0 else { return 0 }
        return min(max(0.5 * (before - after) / curvature, -0.5), 0.5)
    }
}

/// A local maximum of the spectrogram, before it is ranked among its neighbours.
struct CandidatePeak: Sendable {
    /// The frame of its band.
    var frame: Int32
    /// The bin of its band.
    var bin: Int32
    /// The interpolated time, as in `Peak`.
    var time: UInt32
    /// The interpolated frequency, as in `Peak`.
    var frequency: UInt16
    /// The level in log2 of power; later, the level above the envelope.
    var level: Float
    /// The height above its surroundings, as in `Peak.height`.
    var height: UInt8 = 0
}
