import Glibc

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
        let count = max(2, Int(((length + 1) / 4).rounded(.up)))
        let beta = 0.1102 * (Self.rejectionDecibels - 8.7)
        let taps = (0..<count).map { tap -> Double in
            let distance = Double(2 * tap + 1)
            let edge = distance / Double(2 * count)
            let window = Self.bessel(beta * (1 - edge * edge).squareRoot()) / Self.bessel(beta)
            return sin(.pi * distance / 2) / (.pi * distance) * window
        }
        let sum = taps.reduce(0, +)
        self.taps = taps.map { Float($0 / sum / 4) }
    }

    /// The modified Bessel function of order 0, by its series.
    private static func bessel(_ x: Double) -> Double {
        var sum = 1.0
        var term = 1.0
        for step in 1...40 {
            term *= (x / 2 / Double(step)) * (x / 2 / Double(step))
            sum += term
        }
        return sum
    }
}
