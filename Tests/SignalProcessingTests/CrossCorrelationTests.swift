import AudioCore
import SignalProcessing
import TestSupport
import Testing

struct CrossCorrelationTests {
    @Test(arguments: [-700, -1, 0, 1, 13, 700])
    func wholeLagsAreExact(lag: Int) {
        let source = TestSignals.noise(seed: 1, seconds: 1, sampleRate: 8000).samples
        let a = Array(source[1000..<5000])
        let b = Array(source[(1000 - lag)..<(5000 - lag)])
        let found = CrossCorrelation.bestLag(of: b, in: a, maxLag: 1000)
        #expect(abs(found.lag - Double(lag)) < 0.001)
        #expect(found.coefficient > 0.9999)
    }

    @Test(arguments: [-3.5, -0.3, 0.1, 0.25, 0.5, 0.77, 20.9])
    func fractionalLagsAreExact(lag: Double) {
        let rate = 8000.0
        let a = partials(delaySeconds: 0, rate: rate)
        let b = partials(delaySeconds: lag / rate, rate: rate)
        let found = CrossCorrelation.bestLag(of: b, in: a, maxLag: 100)
        #expect(abs(found.lag - lag) < 0.01)
        #expect(found.coefficient > 0.999)
    }

    @Test func shortSignalIsFoundInALongOne() {
        let long = TestSignals.noise(seed: 2, seconds: 2, sampleRate: 8000).samples
        let piece = Array(long[5000..<6000])
        let found = CrossCorrelation.bestLag(of: piece, in: long, maxLag: long.count)
        #expect(abs(found.lag + 5000) < 0.001)
        #expect(found.coefficient > 0.9999)
    }

    @Test func levelDoesNotMatterAndPolarityShows() {
        let a = TestSignals.noise(seed: 3, seconds: 0.5, sampleRate: 8000).samples
        let scaled = CrossCorrelation.bestLag(of: a.map { $0 * 0.001 }, in: a, maxLag: 50)
        #expect(abs(scaled.lag) < 0.001 && scaled.coefficient > 0.9999)
        let inverted = CrossCorrelation.bestLag(of: a.map { -$0 }, in: a, maxLag: 0)
        #expect(inverted.lag == 0 && inverted.coefficient < -0.9999)
    }

    @Test func unrelatedNoiseHasASmallCoefficient() {
        let a = TestSignals.noise(seed: 4, seconds: 1, sampleRate: 8000).samples
        let b = TestSignals.noise(seed: 5, seconds: 1, sampleRate: 8000).samples
        // The largest of 201 values of deviation 1/√8000.
        #expect(CrossCorrelation.bestLag(of: b, in: a, maxLag: 100).coefficient < 0.06)
    }

    @Test func silentAndEmptySignalsGiveZero() {
        let silence = [Float](repeating: 0, count: 100)
        #expect(CrossCorrelation.bestLag(of: silence, in: silence, maxLag: 10) == (0, 0))
        #expect(CrossCorrelation.bestLag(of: [], in: silence, maxLag: 10) == (0, 0))
    }

    private func partials(delaySeconds: Double, rate: Double) -> [Float] {
        // Near half the rate, a parabola alone would have an error of a tenth of a sample.
        TestSignals.bandNoise(
            seed: 9, band: 100...3800, seconds: 1, sampleRate: Int(rate), delaySeconds: delaySeconds
        ).samples
    }
}
