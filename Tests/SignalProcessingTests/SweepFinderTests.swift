import AudioCore
import SignalProcessing
import TestSupport
import Testing

struct SweepFinderTests {
    /// A sweep that begins at `place` samples, which may be a fraction, in digital silence.
    private func recording(
        at place: Double, sampleRate: Int, seconds: Double = 3
    ) -> [Float] {
        // A sweep at 64 times the rate, of which every 64th sample is taken.
        let fine = Sweep.samples(sampleRate: 64 * sampleRate)
        let count = Int(seconds * Double(sampleRate))
        return (0..<count).map { frame in
            let index = Int(((Double(frame) - place) * 64).rounded())
            return fine.indices.contains(index) ? fine[index] : 0
        }
    }

    private func add(_ decibels: Double, to samples: [Float], sampleRate: Int) -> [Float] {
        let seconds = Double(samples.count) / Double(sampleRate)
        let noise = TestSignals.noise(
            seed: 3, amplitude: 0.5 * Decibels.amplitudeRatio(decibels), seconds: seconds,
            sampleRate: sampleRate)
        return zip(samples, noise.samples).map { $0 + $1 }
    }

    @Test(arguments: [8000, 44_100], [4000.0, 4000.25, 4000.5, 4000.828125])
    func placesAreFoundBetweenSamples(rate: Int, place: Double) throws {
        let finder = SweepFinder(sampleRate: rate)
        let found = finder.places(in: recording(at: place, sampleRate: rate))
        #expect(found.count == 1)
        #expect(abs(try #require(found.first) - place) < 0.02)
    }

    @Test func noiseInversionAndLevelMoveNothing() throws {
        let rate = 16_000
        for sign: Float in [1, -1] {
            let quiet = recording(at: 9000.25, sampleRate: rate).map { sign * $0 * 0.001 }
            let found = SweepFinder(sampleRate: rate)
                .places(in: add(-60, to: quiet, sampleRate: rate))
            #expect(found.count == 1)
            #expect(abs(try #require(found.first) - 9000.25) < 0.5)
        }
    }

    /// The strongest path of a room may come after the direct one.
    @Test func theDirectPathCounts() throws {
        let rate = 48_000
        let direct = recording(at: 20_000, sampleRate: rate)
        let reflected = recording(at: 20_400, sampleRate: rate)
        let found = SweepFinder(sampleRate: rate)
            .places(in: zip(direct, reflected).map { 0.6 * $0 + $1 })
        #expect(found.count == 1)
        #expect(abs(try #require(found.first) - 20_000) < 0.5)
    }

    @Test func musicAndNoiseHoldNoSweep() {
        let rate = 16_000
        let finder = SweepFinder(sampleRate: rate)
        #expect(finder.places(in: ScoreSong(seed: 4, seconds: 30).render().samples).isEmpty)
        #expect(
            finder.places(
                in: TestSignals.noise(seed: 5, seconds: 60, sampleRate: rate).samples
            ).isEmpty)
        #expect(finder.places(in: [Float](repeating: 0, count: 5 * rate)).isEmpty)
        #expect(finder.places(in: []).isEmpty)
    }

    @Test func sweepsInALongRecordingAreAllFound() {
        let rate = 8000
        var samples: [Float] = []
        for _ in 0..<40 {
            samples += recording(at: 1000.5, sampleRate: rate, seconds: 1.3)
        }
        let found = SweepFinder(sampleRate: rate).places(in: samples)
        #expect(found.count == 40)
        for (number, place) in found.enumerated() {
            #expect(abs(place - Double(number) * 10_400 - 1000.5) < 0.02)
        }
    }
}
