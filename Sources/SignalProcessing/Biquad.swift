import Glibc

/// A second-order recursive filter for one channel.
///
/// Coefficients follow R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients", W3C Working
/// Group Note, 8 June 2021.
/// Arithmetic and state are in double precision (transposed direct form II), so that a filter at a few hertz is still
/// exact at 192 kHz. Frequencies are in hertz, above 0 and below half the sample rate.
package struct Biquad: Sendable {
    private let b0: Double
    private let b1: Double
    private let b2: Double
    private let a1: Double
    private let a2: Double
    private var first = 0.0
    private var second = 0.0

    /// A low-pass of 12 dB per octave; a `q` of 0.7071 is flattest.
    package static func lowPass(frequency: Double, sampleRate: Double, q: Double = 0.5.squareRoot()) -> Self {
        let (cosine, alpha) = angles(frequency, sampleRate, q)
        let edge = (1 - cosine) / 2
        return Biquad((edge, 1 - cosine, edge), (1 + alpha, -2 * cosine, 1 - alpha))
    }

    /// A high-pass of 12 dB per octave; a `q` of 0.7071 is flattest.
    package static func highPass(
        frequency: Double, sampleRate: Double, q: Double = 0.5.squareRoot()
    ) -> Self {
        let (cosine, alpha) = angles(frequency, sampleRate, q)
        let edge = (1 + cosine) / 2
        return Biquad((edge, -1 - cosine, edge), (1 + alpha, -2 * cosine, 1 - alpha))
    }

    /// A shelf with `gainDecibels` below `frequency`, and half of that (in decibels) at `frequency`.
    package static func lowShelf(
        frequency: Double, sampleRate: Double, q: Double = 0.5.squareRoot(), gainDecibels: Double
    ) -> Biquad {
        shelf(frequency, sampleRate, q, gainDecibels, side: 1)
    }

    /// A shelf with `gainDecibels` above `frequency`, and half of that (in decibels) at `frequency`.
    package static func highShelf(
        frequency: Double, sampleRate: Double, q: Double = 0.5.squareRoot(), gainDecibels: Double
    ) -> Biquad {
        shelf(frequency, sampleRate, q, gainDecibels, side: -1)
    }

    /// A bell with `gainDecibels` at `frequency`, as wide as `frequency / q`.
    package static func bell(frequency: Double, sampleRate: Double, q: Double, gainDecibels: Double) -> Self {
        let (cosine, alpha) = angles(frequency, sampleRate, q)
        let a = pow(10, gainDecibels / 40)
        return Biquad(
            (1 + alpha * a, -2 * cosine, 1 - alpha * a), (1 + alpha / a, -2 * cosine, 1 - alpha / a))
    }

    /// The two filters by which ITU-R BS.1770-5 weighs loudness, at any rate above 3.4 kHz.
    ///
    /// The standard has their coefficients at 48 kHz. These are the analogue filters behind them (B. De Man, "Evaluation
    /// of implementations of the EBU R128 loudness measurement", AES 145, 2018).
    package static func loudnessWeighting(sampleRate: Double) -> [Biquad] {
        func prewarped(_ frequency: Double, _ q: Double) -> (square: Double, damped: Double) {
            let k = tan(.pi * frequency / sampleRate)
            return (k * k, k / q)
        }
        let head = prewarped(1681.974450955533, 0.7071752369554196)
        let high = pow(10, 3.999843853973347 / 20)
        let middle = pow(high, 0.4996667741545416) * head.damped
        let low = prewarped(38.13547087602444, 0.5003270373238773)
        let unit = 1 + low.damped + low.square
        return [
            Biquad(
                (high + middle + head.square, 2 * (head.square - high), high - middle + head.square),
                (1 + head.damped + head.square, 2 * (head.square - 1), 1 - head.damped + head.square)),
            Biquad((unit, -2 * unit, unit), (unit, 2 * (low.square - 1), 1 - low.damped + low.square)),
        ]
    }

    /// Filters `samples` in place, as the continuation of the previous call.
    package mutating func process(_ samples: UnsafeMutableBufferPointer<Float>) {
        var first = first
        var second = second
        for index in samples.indices {
            let input = Double(samples[index])
            let output = b0 * input + first
            first = b1 * input - a1 * output + second
            second = b2 * input - a2 * output
            samples[index] = Float(output)
        }
        // A decaying tail would otherwise reach denormal numbers, which are slow.
        self.first = abs(first) < 1e-30 ? 0 : first
        self.second = abs(second) < 1e-30 ? 0 : second
    }

    package mutating func process(_ samples: inout [Float]) {
        samples.withUnsafeMutableBufferPointer { process($0) }
    }

    package mutating func reset() {
        first = 0
        second = 0
    }

    private init(_ b: (Double, Double, Double), _ a: (Double, Double, Double)) {
        (b0, b1, b2) = (b.0 / a.0, b.1 / a.0, b.2 / a.0)
        (a1, a2) = (a.1 / a.0, a.2 / a.0)
    }

    private static func angles(
        _ frequency: Double, _ sampleRate: Double, _ q: Double
    ) -> (cosine: Double, alpha: Double) {
        precondition(
            frequency > 0 && frequency < sampleRate / 2,
            "filter frequency \(frequency) Hz is not between 0 and half of \(sampleRate) Hz")
        precondition(q > 0, "filter quality \(q) is not above 0")
        let omega = 2 * Double.pi * frequency / sampleRate
        return (cos(omega), sin(omega) / (2 * q))
    }

    /// Both shelves, which differ only in the signs of the cosine and of the odd terms: `side` is 1 for low, −1 for high.
    private static func shelf(
        _ frequency: Double, _ sampleRate: Double, _ q: Double, _ gainDecibels: Double, side: Double
    ) -> Biquad {
        let angles = angles(frequency, sampleRate, q)
        let cosine = side * angles.cosine
        let a = pow(10, gainDecibels / 40)
        let root = 2 * a.squareRoot() * angles.alpha
        return Biquad(
            (
                a * ((a + 1) - (a - 1) * cosine + root), side * 2 * a * ((a - 1) - (a + 1) * cosine),
                a * ((a + 1) - (a - 1) * cosine - root)
            ),
            (
                (a + 1) + (a - 1) * cosine + root, side * -2 * ((a - 1) + (a + 1) * cosine),
                (a + 1) + (a - 1) * cosine - root
            ))
    }
}
