internal import CKernels

/// Finds the cells of a spectrogram that are the largest within ±6 bins and ±2 frames.
///
/// Keeps five rows of powers and the sliding maxima of each. Of equal cells the earliest, then the lowest, is the
/// maximum. A parabola through three logarithms refines each place, in frequency and in time independently.
struct CandidateFinder: Sendable {
    private static let ring = earshot_compared_rows
    private let band: Band
    private let reach: Int
    private let lowBin: Int
    private let width: Int
    /// From one row of a ring to the next, with room for whole vectors.
    private let stride: Int
    private let leastPower: Float
    /// Powers from bin `lowBin` − `reach` on.
    private var rows: [Float]
    /// The sliding maxima of the rows, from bin `lowBin` on.
    private var maxima: [Float]
    private var scratch: [Float]
    private var places: [UInt16]
    private var rowCount = 0

    /// Looks for peaks of a band within `hertz`.
    init(_ settings: Settings.Analysis, band: Band, hertz: Range<Double>) {
        precondition(settings.neighbourFrames == 2 && settings.neighbourBins == 6)
        self.band = band
        reach = settings.neighbourBins
        // A peak at the edge of the band may be interpolated from the bin beyond.
        lowBin = max(reach, Int((hertz.lowerBound / band.binHertz).rounded()))
        let highBin = min(Int((hertz.upperBound / band.binHertz).rounded()), band.rowBins - reach - 1)
        width = max(0, highBin + 1 - lowBin)
        stride = width + 2 * reach + 8
        leastPower = settings.silencePower + SpectrumRows.floor
        rows = [Float](repeating: 0, count: Self.ring * stride)
        maxima = rows
        scratch = [Float](repeating: 0, count: width + 16)
        places = [UInt16](repeating: 0, count: width)
    }

    /// Takes the next row and appends the peaks of the row two before it.
    mutating func append(row: UnsafePointer<Float>, to peaks: inout [CandidatePeak]) {
        guard width > 0 else { return }
        let slot = rowCount % Self.ring * stride
        let row = row + (lowBin - reach)
        rows.withUnsafeMutableBufferPointer { rows in
            guard let rows = rows.baseAddress else { return }
            (rows + slot).update(from: row, count: width + 2 * reach)
        }
        maxima.withUnsafeMutableBufferPointer { maxima in
            guard let maxima = maxima.baseAddress else { return }
            earshot_slide_maximum(maxima + slot, row, &scratch, width)
        }
        rowCount += 1
        find(frame: rowCount - 3, to: &peaks)
    }

    mutating func finish(to peaks: inout [CandidatePeak]) {
        // An empty frame follows the end. The last frame has no later neighbour, so it has no peaks.
        guard rowCount > 0 else { return }
        let slot = rowCount % Self.ring * stride
        for index in slot..<(slot + stride) {
            rows[index] = 0
            maxima[index] = 0
        }
        rowCount += 1
        find(frame: rowCount - 3, to: &peaks)
    }

    /// Counts frames from a later row, which is at most `rows` later; returns how much later.
    mutating func forget(rows: Int) -> Int {
        let forgotten = rows / Self.ring * Self.ring
        rowCount -= forgotten
        return forgotten
    }

    private mutating func find(frame: Int, to peaks: inout [CandidatePeak]) {
        guard frame >= 1 else { return }
        func slot(_ offset: Int) -> Int { (frame + offset + Self.ring) % Self.ring * stride }
        rows.withUnsafeBufferPointer { rows in
            maxima.withUnsafeBufferPointer { maxima in
                guard let rows = rows.baseAddress, let maxima = maxima.baseAddress else { return }
                let row = rows + (slot(0) + reach)
                let before = rows + (slot(-1) + reach)
                let after = rows + (slot(1) + reach)
                let found = earshot_find_maxima(&places, row, maxima, stride, width, leastPower)
                for place in places[..<found].lazy.map(Int.init) {
                    // Of equals the earliest, then the lowest, is the maximum.
                    guard (1...reach).allSatisfy({ row[place - $0] < row[place] }),
                        row[place] > maxima[slot(-1) + place], row[place] > maxima[slot(-2) + place],
                        after[place] > 0
                    else { continue }
                    let peak = Self.candidate(
                        frame: frame, bin: lowBin + place, row: row + place, before: before[place],
                        after: after[place], band)
                    if Band.place(of: peak.frequency) == band.place { peaks.append(peak) }
                }
            }
        }
    }

    private typealias Row = UnsafePointer<Float>

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
    /// The level, as in `Peak.level`.
    var storedLevel: UInt8 = 0

    /// Counts its time from a row of its band that is `frames` later.
    mutating func move(earlierBy frames: Int, in band: Band) {
        frame -= Int32(frames)
        time -= UInt32(frames * Int(band.frame * Float(FrequencyScale.timeSteps)))
    }
}
