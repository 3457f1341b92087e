import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Decimation against the formula that describes it, sample by sample.
struct ResponseTests {
    private func decimate(_ samples: [Float], rate: Int) -> [Float] {
        var decimator = Decimator(inputRate: rate, outputRate: 8000)
        var output: [Float] = []
        samples.withUnsafeBufferPointer { decimator.append($0, to: &output) }
        decimator.finish(to: &output)
        return output
    }

    /// The Hann-windowed sinc of the description: eight zero crossings a side, cut at 0.92 of the lower Nyquist frequency.
    private func kernel(_ x: Double, rate: Int) -> Double {
        let cutoff = 0.46 * min(1, 8000 / Double(rate))
        let halfWidth = 4 / cutoff
        guard abs(x) < halfWidth else { return 0 }
        let angle = 2 * .pi * cutoff * x
        return (angle == 0 ? 1 : sin(angle) / angle) * (0.5 + 0.5 * cos(.pi * x / halfWidth))
    }

    /// The signal at output sample `n`, by a sum over all input samples.
    private func expected(_ samples: [Float], rate: Int, _ n: Int) -> Double {
        let time = Double(n) * Double(rate) / 8000
        let reach = 4 / (0.46 * min(1, 8000 / Double(rate))) + 1
        var sum = 0.0
        var weights = 0.0
        for index in Int((time - reach).rounded(.down))...Int((time + reach).rounded(.up)) {
            let weight = kernel(Double(index) - time, rate: rate)
            weights += weight
            if samples.indices.contains(index) { sum += weight * Double(samples[index]) }
        }
        return sum / weights
    }

    /// Rates below 20 kHz have no half-band stage; those of many phases interpolate between tabulated ones.
    @Test(
        "Every sample is the formula's",
        arguments: [
            (1000, 1e-6), (6000, 1e-6), (11_025, 1e-6), (16_000, 1e-6), (19_200, 1e-6), (19_999, 3e-5),
        ])
    func samplesAreTheFormulas(rate: Int, tolerance: Double) {
        let samples = TestSignals.noise(seed: UInt64(rate), seconds: 0.2, sampleRate: rate).samples
        let output = decimate(samples, rate: rate)
        #expect(output.count == (samples.count * 8000 + rate - 1) / rate)
        let worst = output.indices.reduce(0.0) {
            max($0, abs(Double(output[$1]) - expected(samples, rate: rate, $1)))
        }
        #expect(worst < tolerance)
    }

    /// The response of the formula to a tone, in amplitude.
    private func response(_ frequency: Double, rate: Int) -> Double {
        var sum = 0.0
        var weights = 0.0
        for index in -200...200 {
            let weight = kernel(Double(index), rate: rate)
            sum += weight * cos(2 * .pi * frequency * Double(index) / Double(rate))
            weights += weight
        }
        return abs(sum / weights)
    }

    @Test("Tones of all frequencies come out as loud as the formula says", arguments: [16_000, 24_000])
    func responseIsTheFormulas(rate: Int) {
        for frequency in stride(from: 100.0, through: 0.49 * Double(rate), by: 370) {
            let tone = TestSignals.sine(frequency: frequency, amplitude: 1, seconds: 0.5, sampleRate: rate)
            let output = decimate(tone.samples, rate: rate)
            // A tone above 4 kHz comes out where it folds to.
            let folded = abs(frequency - 8000 * (frequency / 8000).rounded())
            var (real, imaginary) = (0.0, 0.0)
            for index in 400..<3600 {
                let window = 1 - cos(2 * .pi * Double(index - 400) / 3200)
                real += window * Double(output[index]) * cos(2 * .pi * folded * Double(index) / 8000)
                imaginary += window * Double(output[index]) * sin(2 * .pi * folded * Double(index) / 8000)
            }
            let amplitude = hypot(real, imaginary) / 1600
            #expect(abs(amplitude - response(frequency, rate: rate)) < 2e-4, "\(frequency) Hz at \(rate) Hz")
        }
    }

    @Test(
        "A constant comes out unchanged at every rate",
        arguments: [1000, 11_025, 16_001, 44_100, 96_000, 767_999])
    func constantsStay(rate: Int) {
        let output = decimate([Float](repeating: 0.5, count: rate / 4), rate: rate)
        #expect(output[300..<(output.count - 300)].allSatisfy { abs($0 - 0.5) < 1e-4 })
    }

    @Test("Decimation is linear", arguments: [6000, 44_100, 48_000])
    func decimationIsLinear(rate: Int) {
        let one = TestSignals.noise(seed: 1, seconds: 0.2, sampleRate: rate).samples
        let other = TestSignals.noise(seed: 2, seconds: 0.2, sampleRate: rate).samples
        let sum = decimate(zip(one, other).map { 0.5 * $0 - 2 * $1 }, rate: rate)
        let (first, second) = (decimate(one, rate: rate), decimate(other, rate: rate))
        let expected = zip(first, second).map { 0.5 * $0 - 2 * $1 }
        #expect(sum.count == expected.count && zip(sum, expected).allSatisfy { abs($0 - $1) < 1e-5 })
        // A power of 2 is exact.
        #expect(decimate(one.map { 4 * $0 }, rate: rate) == first.map { 4 * $0 })
    }

    /// Periods of a multiple of 4, for two half-band stages take every fourth sample.
    @Test(
        "A delay by whole periods of both rates delays the output and changes no bit of it",
        arguments: [
            (6000, 6000), (11_025, 11_025), (44_100, 1764), (44_101, 176_404), (48_000, 48), (192_000, 192),
        ])
    func delaysAreExact(rate: Int, period: Int) {
        let samples = TestSignals.noise(seed: 4, seconds: 0.3, sampleRate: rate).samples
        let output = decimate(samples, rate: rate)
        let delayed = decimate([Float](repeating: 0, count: period) + samples, rate: rate)
        let shift = period * 8000 / rate
        let inner = output.dropFirst(64).dropLast(64)
        #expect(delayed.dropFirst(shift + 64).prefix(inner.count) == inner)
    }

    @Test("The logarithm rises with its argument, and has no step at powers of two")
    func logarithmIsMonotone() {
        var value: Float = 1e-10
        var before = BinaryLogarithm.log2(SIMD8(repeating: value))[0]
        while value < 1e10 {
            value *= 1.0007
            let next = BinaryLogarithm.log2(SIMD8(repeating: value))[5]
            #expect(next > before && next - before < 0.0012)
            before = next
        }
        for exponent in -60...60 {
            let power = Float(sign: .plus, exponent: exponent, significand: 1)
            #expect(BinaryLogarithm.log2(SIMD8(repeating: power))[3] == Float(exponent))
            #expect(BinaryLogarithm.log2(SIMD8(repeating: power.nextDown))[3] <= Float(exponent))
        }
    }
}
