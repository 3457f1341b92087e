import AudioCore
internal import CKernels

/// Halves the rate of one channel, block by block: output m is at input 2m exactly.
///
/// The output does not depend on how the input is cut into blocks.
struct HalfBandStage: Sendable {
    /// The taps on one side of the centre.
    private let taps: [Float]
    /// The input from 2·taps.count samples before the next output's centre.
    private var input: [Float]

    init(_ filter: HalfBandFilter) {
        taps = filter.taps
        input = [Float](repeating: 0, count: 2 * filter.taps.count)
    }

    /// Takes `block` and appends all output that depends on no later sample.
    mutating func append(_ block: UnsafeBufferPointer<Float>, to output: inout [Float]) {
        input.append(contentsOf: block)
        guard input.count >= 4 * taps.count else { return }
        let count = (input.count - 4 * taps.count) / 2 + 1
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        output.withUnsafeMutableBufferPointer { output in
            guard let output = output.baseAddress else { return }
            earshot_halve(output + start, count, input, taps, taps.count)
        }
        input.removeFirst(2 * count)
    }
}

/// The taps of a filter that halves a rate and passes frequencies below `pass` hertz: every other tap is zero.
///
/// A sinc under a Kaiser window (Oppenheim and Schafer, "Discrete-Time Signal Processing", section 7.5.3). It rejects
/// frequencies that would alias below `pass` by at least 75 dB.
struct HalfBandFilter: Sendable {
    /// Tap j belongs to the samples 2j + 1 before and after the centre, whose own tap is 0.5.
    let taps: [Float]

    // Kaiser's formulas overestimate the rejection of such short filters by some decibels.
    private static let rejectionDecibels = 85.0

    init(inputRate: Double, pass: Double) {
        let transition = 0.5 - 2 * pass / inputRate
        let length = (Self.rejectionDecibels - 8) / (2.285 * 2 * .pi * transition)
        let count = max(2, Int(bounded: ((length + 1) / 4).rounded(.up)))
        precondition(count <= earshot_most_half_band_taps, "a half-band filter of \(count) taps")
        let beta = 0.1102 * (Self.rejectionDecibels - 8.7)
        let window = KaiserWindow(beta: beta)
        let taps = (0..<count).map { tap -> Double in
            let distance = Double(2 * tap + 1)
            return sin(.pi * distance / 2) / (.pi * distance) * window(distance / Double(2 * count))
        }
        let sum = taps.reduce(0, +)
        self.taps = taps.map { Float($0 / sum / 4) }
    }
}
