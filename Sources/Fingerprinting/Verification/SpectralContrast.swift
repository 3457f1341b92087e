#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Asks the query's whole spectrogram whether a reference's peaks are in it: evidence that never became a peak.
///
/// Each bin is whitened over ±0.38 s (mean taken off, divided by √(variance + 0.3), clipped to −1.5…2.5).
/// The contrast is the sum of the whitened values where the reference's peaks should be, against the
/// same sum at 16 shifts of time, in standard deviations of those.
struct SpectralContrast: Sendable {
    private static let reach = 12
    private static let unit: Float = 256
    private static let bins = SpectrumRows.rowBins
    /// The shifts in frames: 8 on each side, 0.09 … 0.43 s.
    private static let shifts: [Float] = (0..<8).map { 2.8 + Float($0) * (10.6 / 7) }.flatMap { [-$0, $0] }

    private let rowCount: Int
    private let whitened: [Float]

    /// Whitens a spectrogram of rows of `SpectrumRows.rowBins` values.
    init(spectrogram: [Float]) {
        let bins = Self.bins
        let rowCount = spectrogram.count / bins
        self.rowCount = rowCount
        // Whole units of 1/256 make the running sums exact.
        let levels = spectrogram.map { Int32(min(max($0, -31), 31) * Self.unit) }
        var sums = [Int32](repeating: 0, count: bins)
        var squares = [Int32](repeating: 0, count: bins)
        func add(_ row: Int, _ sign: Int32) {
            let start = row * bins
            for bin in 0..<bins {
                let level = levels[start + bin]
                sums[bin] &+= sign &* level
                squares[bin] &+= sign &* level &* level
            }
        }
        for row in 0..<min(Self.reach, rowCount) { add(row, 1) }
        whitened = [Float](unsafeUninitializedCapacity: rowCount * bins) { whitened, count in
            for row in 0..<rowCount {
                if row + Self.reach < rowCount { add(row + Self.reach, 1) }
                if row - Self.reach - 1 >= 0 { add(row - Self.reach - 1, -1) }
                let rows = min(row + Self.reach, rowCount - 1) - max(row - Self.reach, 0) + 1
                let scale = 1 / (Float(rows) * Self.unit)
                for bin in 0..<bins {
                    let mean = Float(sums[bin]) * scale
                    let variance = max(0, Float(squares[bin]) * scale / Self.unit - mean * mean)
                    let value =
                        (Float(levels[row * bins + bin]) / Self.unit - mean) / (variance + 0.3).squareRoot()
                    whitened.initializeElement(at: row * bins + bin, to: min(max(value, -1.5), 2.5))
                }
            }
            count = rowCount * bins
        }
    }

    /// The contrast of an alignment, in standard deviations; 0 where there is nothing to compare.
    ///
    /// - Parameters:
    ///   - frames: the reference peaks' times from the candidate's reference frame.
    ///   - octaves: the reference peaks' frequencies in octaves above one bin.
    func contrast(
        frames: UnsafeBufferPointer<Float>, octaves: UnsafeBufferPointer<Float>, queryFrame: Int,
        _ alignment: Alignment
    ) -> Float {
        guard rowCount > 1, !frames.isEmpty else { return 0 }
        let slope = 1 / (1 + alignment.timeSkew)
        var aligned: (sum: Float, count: Int) = (0, 0)
        var shifted = [(sum: Float, count: Int)](repeating: (0, 0), count: 16)
        whitened.withUnsafeBufferPointer { whitened in
            for peak in 0..<frames.count {
                let time = Float(queryFrame) + (frames[peak] - alignment.shift) * slope
                guard time > -14, time < Float(rowCount) + 14 else { continue }
                let bin = exp2f(octaves[peak] + alignment.octaves)
                guard bin >= 0, bin < Float(Self.bins - 1) else { continue }
                if let value = sample(whitened, time, bin) {
                    aligned = (aligned.sum + value, aligned.count + 1)
                }
                for (index, shift) in Self.shifts.enumerated() {
                    guard let value = sample(whitened, time + shift, bin) else { continue }
                    shifted[index].sum += value
                    shifted[index].count += 1
                }
            }
        }
        guard aligned.count > 0 else { return 0 }
        let controls = shifted.map { $0.count > 0 ? $0.sum / Float($0.count).squareRoot() : 0 }
        let mean = controls.reduce(0, +) / 16
        let variance = controls.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 16
        return (aligned.sum / Float(aligned.count).squareRoot() - mean) / max(variance.squareRoot(), 0.05)
    }

    /// The bilinear value between four cells, or nil outside.
    @inline(__always)
    private func sample(_ whitened: UnsafeBufferPointer<Float>, _ time: Float, _ bin: Float) -> Float? {
        guard time >= 0, time < Float(rowCount - 1) else { return nil }
        let row = Int(time)
        let column = Int(bin)
        let down = time - Float(row)
        let right = bin - Float(column)
        let cell = row * Self.bins + column
        let near = whitened[cell] + (whitened[cell + 1] - whitened[cell]) * right
        let far =
            whitened[cell + Self.bins] + (whitened[cell + Self.bins + 1] - whitened[cell + Self.bins]) * right
        return near + (far - near) * down
    }
}
