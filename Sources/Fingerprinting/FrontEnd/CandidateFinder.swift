/// Finds the cells of a spectrogram that are the largest within ±6 bins and ±2 frames.
///
/// Keeps five rows and the sliding maxima of each. Of equal cells the earliest, then the lowest,
/// is the maximum. Each is refined by a parabola through three values, in frequency and in time
/// independently.
struct CandidateFinder: Sendable {
    private static let stride = SpectrumRows.rowBins
    private static let ring = 5
    private let reach: Int
    private let lowBin: Int
    private let highBin: Int
    private let leastLevel: Float
    private var rows: [Float]
    private var maxima: [Float]
    private var scratch: [Float]
    private var rowCount = 0

    /// Looks for peaks from the lowest frequency of the settings up to `highestHertz`.
    init(_ settings: Settings.Analysis, highestHertz: Double) {
        precondition(settings.neighbourFrames == 2 && settings.neighbourBins == 6)
        reach = settings.neighbourBins
        lowBin = max(reach, Int((settings.lowestHertz / settings.binHertz).rounded(.up)))
        highBin = min(Int(highestHertz / settings.binHertz), Self.stride - reach - 1)
        leastLevel = BinaryLogarithm.log2(SIMD8(repeating: settings.silencePower + SpectrumRows.floor))[0]
        rows = [Float](repeating: -.infinity, count: Self.ring * Self.stride)
        maxima = rows
        scratch = [Float](repeating: -.infinity, count: Self.stride + 16)
    }

    /// Takes the next row and appends the peaks of the row two before it.
    mutating func append(row: UnsafePointer<Float>, to peaks: inout [CandidatePeak]) {
        let slot = rowCount % Self.ring * Self.stride
        rows.withUnsafeMutableBufferPointer { rows in
            guard let rows = rows.baseAddress else { return }
            (rows + slot).update(from: row, count: Self.stride)
        }
        slideMaximum(from: row, slot: slot)
        rowCount += 1
        find(frame: rowCount - 3, to: &peaks)
    }

    /// Ends the rows and appends the peaks that waited for them.
    mutating func finish(to peaks: inout [CandidatePeak]) {
        // One frame of nothing after the end; the last frame itself has no later neighbour to interpolate with.
        guard rowCount > 0 else { return }
        let slot = rowCount % Self.ring * Self.stride
        for index in slot..<(slot + Self.stride) {
            rows[index] = -.infinity
            maxima[index] = -.infinity
        }
        rowCount += 1
        find(frame: rowCount - 3, to: &peaks)
    }

    /// The maximum over bins k−6 … k+6 for every bin k, by doubling: 2, 4, 8, then 13 wide.
    private mutating func slideMaximum(from row: UnsafePointer<Float>, slot: Int) {
        let count = Self.stride
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

    private func find(frame: Int, to peaks: inout [CandidatePeak]) {
        guard frame >= 1 else { return }
        rows.withUnsafeBufferPointer { rows in
            maxima.withUnsafeBufferPointer { maxima in
                guard let rows = rows.baseAddress, let maxima = maxima.baseAddress else { return }
                func slot(_ offset: Int) -> Int { (frame + offset + Self.ring) % Self.ring * Self.stride }
                let row = rows + slot(0)
                let rowBefore = rows + slot(-1)
                let rowAfter = rows + slot(1)
                let own = maxima + slot(0)
                let before1 = maxima + slot(-1)
                let before2 = maxima + slot(-2)
                let after1 = maxima + slot(1)
                let after2 = maxima + slot(2)
                var bin = lowBin
                while bin <= highBin {
                    let level = row[bin]
                    guard level == own[bin] else {
                        bin += 1
                        continue
                    }
                    if level > before1[bin], level > before2[bin], level >= after1[bin], level >= after2[bin],
                        level > leastLevel, (bin - reach..<bin).allSatisfy({ row[$0] < level }),
                        rowAfter[bin] > -.infinity
                    {
                        let inFrequency = Self.vertex(row[bin - 1], level, row[bin + 1])
                        let inTime = Self.vertex(rowBefore[bin], level, rowAfter[bin])
                        peaks.append(
                            CandidatePeak(
                                frame: Int32(frame), bin: Int32(bin),
                                time: UInt32(frame * 64 + Int((inTime * 64).rounded())),
                                frequency: UInt16(bin * 64 + Int((inFrequency * 64).rounded())), level: level)
                        )
                        bin += reach
                    }
                    bin += 1
                }
            }
        }
    }

    /// Where the parabola through three equidistant values has its top, −0.5…0.5 from the middle one.
    private static func vertex(_ before: Float, _ middle: Float, _ after: Float) -> Float {
        let curvature = before - 2 * middle + after
        guard curvature < 0 else { return 0 }
        return min(max(0.5 * (before - after) / curvature, -0.5), 0.5)
    }
}
