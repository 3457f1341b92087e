import AudioCore
import SignalProcessing
import TestSupport
import Testing

@Suite struct SharpCorrelatorTests {
    private static let length = 16_000

    private static func noise(_ seed: UInt64) -> [Float] {
        TestSignals.noise(seed: seed, seconds: 4, sampleRate: 8000).samples
    }

    /// The shared component is found at any level, and at −10 dB under unrelated noise.
    @Test(arguments: [(-300, 0), (-1, 3), (0, 6), (17, 10), (300, 6)])
    func findsASharedLayer(lag: Int, decibelsBelow: Int) {
        let shared = Self.noise(1)
        let own = Self.noise(2)
        let gain = Float(Decibels.amplitudeRatio(-Double(decibelsBelow)))
        let a = Array(shared[1000..<(1000 + Self.length)])
        let b = (0..<Self.length).map { 0.1 * (shared[1000 - lag + $0] * gain + own[$0]) }
        let found = SharpCorrelator(length: Self.length, maxLag: 400).align(b, with: a, exclusion: 32)
        #expect(found.lag == lag)
        #expect(found.prominence > 10)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func unrelatedSignalsDoNotStandOut(seed: UInt64) {
        let a = Array(Self.noise(seed).prefix(Self.length))
        let b = Array(Self.noise(seed + 100).prefix(Self.length))
        let found = SharpCorrelator(length: Self.length, maxLag: 400).align(b, with: a, exclusion: 32)
        #expect(found.prominence < 6)
    }

    /// The same tones with another phase have no single lag at which the waveforms agree.
    @Test func theSameToneIsNotTheSameSound() {
        let a = TestSignals.sine(frequency: 440, seconds: 2, sampleRate: 8000).samples
        let b = TestSignals.sine(frequency: 440, seconds: 2.01, sampleRate: 8000).samples.suffix(Self.length)
        let found = SharpCorrelator(length: Self.length, maxLag: 400).align(Array(b), with: a, exclusion: 32)
        #expect(found.prominence < 6)
    }

    @Test func silenceHasNoProminence() {
        let silence = [Float](repeating: 0, count: Self.length)
        let found = SharpCorrelator(length: Self.length, maxLag: 400).align(
            silence, with: silence, exclusion: 32)
        #expect(found.lag == 0 && found.prominence == 0)
    }

    @Test func nearestLimitsTheLag() {
        let shared = Self.noise(5)
        let a = Array(shared[1000..<(1000 + Self.length)])
        let b = Array(shared[800..<(800 + Self.length)])
        let correlator = SharpCorrelator(length: Self.length, maxLag: 400)
        #expect(correlator.align(b, with: a, exclusion: 32).lag == 200)
        #expect(abs(correlator.align(b, with: a, nearest: 20, exclusion: 32).lag) <= 20)
    }
}
