import AudioCore
import Fingerprinting
import TestSupport
import Testing

/// Queries that are searched piece by piece.
struct LongQueryTests {
    /// A piece ends at 1048.6 s.
    @Test(arguments: [300.0, 1029, 1048.5, 1900])
    func aPassageIsFoundWhereverItIs(startSeconds: Double) throws {
        let rate = 8000
        var samples = TestSignals.noise(seed: 5, amplitude: 0.01, seconds: 2000, sampleRate: rate).samples
        let first = Int(startSeconds * Double(rate))
        let song = SongCatalog.songs[2].render(sampleRate: rate).samples
        for (place, sample) in song.enumerated() { samples[first + place] += sample }
        let matches = try SongCatalog.catalog.matchAll(
            query: AudioBuffer(samples: samples, sampleRate: rate))
        let best = try #require(matches.first)
        #expect(best.referenceID == "song 2" && best.isAccepted)
        #expect(abs(best.offsetSeconds + startSeconds) < 0.02)
        #expect(matches.count { $0.isAccepted } == 1)
    }

    /// Needs its own process, because the peak is that of a whole process.
    @Test func memoryHardlyGrowsWithTheQuery() async {
        await #expect(processExitsWith: .success) {
            let noise = try LongNoise(seconds: 7200, sampleRate: 8000)
            let matcher = BatchMatcher(catalog: SongCatalog.catalog)
            let growth = try LongNoise.peakGrowthKilobytes {
                #expect(matcher.match(noise.path).durationSeconds == 7200)
            }
            // All peaks prepared at once would take 240 MB.
            #expect(growth < 130_000)
        }
    }
}
