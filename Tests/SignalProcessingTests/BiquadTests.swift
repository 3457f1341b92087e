import AudioCore
import SignalProcessing
import TestSupport
import Testing

struct BiquadTests {
    private let rate = 48_000.0

    /// Gains of the analogue prototypes at the frequency they are designed for.
    @Test func gainsAtTheDesignFrequency() {
        let half = Decibels.fromPowerRatio(0.5)
        expectGain(half, of: .lowPass(frequency: 1000, sampleRate: rate), at: 1000)
        expectGain(half, of: .highPass(frequency: 1000, sampleRate: rate), at: 1000)
        expectGain(4, of: .lowShelf(frequency: 1000, sampleRate: rate, gainDecibels: 8), at: 1000)
        expectGain(-4, of: .highShelf(frequency: 1000, sampleRate: rate, gainDecibels: -8), at: 1000)
    }

    @Test func gainsFarFromTheDesignFrequency() {
        expectGain(0, of: .lowPass(frequency: 1000, sampleRate: rate), at: 50)
        expectGain(0, of: .highPass(frequency: 1000, sampleRate: rate), at: 15_000)
        expectGain(8, of: .lowShelf(frequency: 2000, sampleRate: rate, gainDecibels: 8), at: 60)
        expectGain(0, of: .lowShelf(frequency: 500, sampleRate: rate, gainDecibels: 8), at: 15_000)
        expectGain(-8, of: .highShelf(frequency: 500, sampleRate: rate, gainDecibels: -8), at: 15_000)
        expectGain(0, of: .highShelf(frequency: 2000, sampleRate: rate, gainDecibels: -8), at: 60)
    }

    @Test(arguments: [2, 4, 8])
    func butterworthFallsByItsOrder(order: Int) {
        let frequency = 500.0
        let low = BiquadCascade.butterworthLowPass(order: order, frequency: frequency, sampleRate: rate)
        let high = BiquadCascade.butterworthHighPass(order: order, frequency: frequency, sampleRate: rate)
        for ratio in [0.5, 1, 2] {
            // |H|² = 1 / (1 + r^2n). Far below half the rate the bilinear transform adds less than 0.1 dB.
            var power = 1.0
            for _ in 0..<2 * order { power *= ratio }
            #expect(
                abs(gain(of: low, at: frequency * ratio) - Decibels.fromPowerRatio(1 / (1 + power))) < 0.15)
            #expect(
                abs(gain(of: high, at: frequency * ratio) - Decibels.fromPowerRatio(power / (1 + power)))
                    < 0.15)
        }
    }

    @Test func blocksDoNotMatter() {
        let noise = TestSignals.noise(seed: 1, seconds: 0.2, sampleRate: 48_000).samples
        var whole = BiquadCascade.butterworthLowPass(order: 4, frequency: 300, sampleRate: rate)
        var pieces = whole
        var expected = noise
        whole.process(&expected)
        var result: [Float] = []
        for start in stride(from: 0, to: noise.count, by: 177) {
            var block = Array(noise[start..<min(start + 177, noise.count)])
            pieces.process(&block)
            result += block
        }
        #expect(result == expected)
        pieces.reset()
        var again = noise
        pieces.process(&again)
        #expect(again == expected)
    }

    private func expectGain(
        _ decibels: Double, of filter: Biquad, at frequency: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = gain(of: BiquadCascade([filter]), at: frequency)
        #expect(
            abs(found - decibels) < 0.05, "\(found) dB at \(frequency) Hz", sourceLocation: sourceLocation)
    }

    /// The gain for a steady sine in decibels, after half a second.
    private func gain(of filter: BiquadCascade, at frequency: Double) -> Double {
        var filter = filter
        let sine = TestSignals.sine(frequency: frequency, seconds: 1, sampleRate: Int(rate))
        var filtered = sine.samples
        filter.process(&filtered)
        let settled = 24_000..<48_000
        let output = AudioBuffer(samples: Array(filtered[settled]), sampleRate: 48_000)
        return Decibels.fromPowerRatio(output.meanPower / sine.frames(settled).meanPower)
    }
}
