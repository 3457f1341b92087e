import AudioCore
import Glibc
import Synchronization

/// Changes the number of samples by a ratio of whole numbers, without delay.
///
/// Output sample k is the input at sample k · denominator / numerator; the input is silent beyond its ends. The filter
/// is a sinc under a Kaiser window that reaches 64 samples of the lower rate on either side. It keeps 89 % of the band
/// of the lower rate. Aliases and images are 110 dB down.
///
/// Crochiere and Rabiner, "Interpolation and decimation of digital signals", Proceedings of the IEEE 69(3), 1981.
package struct PolyphaseResampler: Sendable {
    private let numerator: Int
    private let denominator: Int
    /// The number of input samples under the filter on either side; a multiple of 8.
    private let reach: Int
    /// The filter is known at `rows` + 1 equally spaced fractions of an input sample.
    private let rows: Int
    /// 2 · `reach` weights for each row.
    private let weights: [Float]

    /// The resampler for a ratio of output over input samples; nil if it is not within 1/256…256.
    ///
    /// The filters of recent ratios are kept.
    package static func of(_ numerator: Int, over denominator: Int) -> PolyphaseResampler? {
        guard numerator >= 1, denominator >= 1, numerator <= 256 * denominator, denominator <= 256 * numerator
        else { return nil }
        var (divisor, rest) = (numerator, denominator)
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        let ratio = [numerator / divisor, denominator / divisor]
        if let known = recent.withLock({ $0[ratio] }) { return known }
        // Two threads may both make it, with the same result.
        let made = PolyphaseResampler(numerator: ratio[0], denominator: ratio[1])
        recent.withLock { recent in
            // At most 32 MiB.
            if recent.count >= 64 { recent.removeAll() }
            recent[ratio] = made
        }
        return made
    }

    private static let recent = Mutex<[[Int]: PolyphaseResampler]>([:])

    private init(numerator: Int, denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
        let reduction = max(1, Double(denominator) / Double(numerator))
        reach = Int(bounded: (8 * reduction).rounded(.up)) * 8
        // Between 1024 rows, linear interpolation errs by less than −120 dB; a longer filter is smoother.
        rows = min(numerator, Int(bounded: (1024 / reduction).rounded(.up)))
        let window = KaiserWindow(beta: 11.2)
        let cutoff = 0.945 / reduction
        var weights: [Float] = []
        weights.reserveCapacity((rows + 1) * 2 * reach)
        for row in 0...rows {
            for tap in 0..<(2 * reach) {
                let x = Double(row) / Double(rows) + Double(reach - 1 - tap)
                let angle = Double.pi * cutoff * x
                let sinc = abs(angle) < 1e-12 ? 1 : sin(angle) / angle
                weights.append(Float(cutoff * sinc * window(x / Double(reach))))
            }
        }
        self.weights = weights
    }

    /// Makes `(input.count · numerator / denominator).rounded()` samples; those of `input` if the ratio is 1.
    package func resample(_ input: UnsafeBufferPointer<Float>) -> [Float] {
        if numerator == denominator { return Array(input) }
        let count = Int(bounded: (Double(input.count * numerator) / Double(denominator)).rounded())
        let padding = [Float](repeating: 0, count: reach)
        let padded = padding + input + padding
        return [Float](unsafeUninitializedCapacity: count) { output, initialized in
            padded.withUnsafeBytes { padded in
                weights.withUnsafeBytes { weights in
                    var course = Course(numerator: numerator, denominator: denominator)
                    for index in 0..<count {
                        // The first sample under the filter is whole − reach + 1, in padded samples whole + 1.
                        let samples = padded.baseAddress.map { $0 + 4 * (course.whole + 1) }
                        let row = course.rest * rows / numerator
                        let filter = weights.baseAddress.map { $0 + 4 * row * 2 * reach }
                        guard let samples, let filter else { break }
                        let between =
                            rows == numerator
                            ? 0 : Float(Double(course.rest * rows % numerator) / Double(numerator))
                        let sample =
                            between == 0
                            ? dot(samples, filter) : dot(samples, filter, between: between)
                        output.initializeElement(at: index, to: sample)
                        course.advance()
                    }
                }
            }
            initialized = count
        }
    }

    /// The place of an output sample in the input: `whole` + `rest` / numerator samples.
    private struct Course {
        private(set) var whole = 0
        private(set) var rest = 0
        private let numerator: Int
        private let step: (whole: Int, rest: Int)

        init(numerator: Int, denominator: Int) {
            self.numerator = numerator
            step = (denominator / numerator, denominator % numerator)
        }

        mutating func advance() {
            whole += step.whole
            rest += step.rest
            if rest >= numerator {
                rest -= numerator
                whole += 1
            }
        }
    }

    private func dot(_ samples: UnsafeRawPointer, _ filter: UnsafeRawPointer) -> Float {
        var (even, odd) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        for byte in stride(from: 0, to: 8 * reach, by: 64) {
            even += Self.eight(samples, byte) * Self.eight(filter, byte)
            odd += Self.eight(samples, byte + 32) * Self.eight(filter, byte + 32)
        }
        return (even + odd).sum()
    }

    /// With the filter at `between` of the way from its row to the next.
    private func dot(_ samples: UnsafeRawPointer, _ filter: UnsafeRawPointer, between: Float) -> Float {
        let low = dot(samples, filter)
        return low + between * (dot(samples, filter + 8 * reach) - low)
    }

    private static func eight(_ start: UnsafeRawPointer, _ byte: Int) -> SIMD8<Float> {
        start.loadUnaligned(fromByteOffset: byte, as: SIMD8<Float>.self)
    }
}
