import AudioCore
import AudioIO
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

    /// A file of more than 1048 s at 8 kHz is decoded block by block.
    ///
    /// A quiet one is analysed again with a gain.
    @Test(arguments: [1 as Float, 1e-3])
    func aFileMatchesAsItsAudioInMemory(gain: Float) throws {
        let rate = 8000
        var samples = TestSignals.noise(seed: 6, amplitude: 0.01, seconds: 1100, sampleRate: rate).samples
        let song = SongCatalog.songs[3].render(sampleRate: rate).samples
        for (place, sample) in song.enumerated() { samples[400 * rate + place] += sample }
        for place in samples.indices { samples[place] *= gain }
        let audio = AudioBuffer(samples: samples, sampleRate: rate)
        let folder = try TemporaryFolder()
        let path = folder.file("long.wav")
        try AudioFile.write(audio, to: path, as: try #require(AudioEncoding("wav-float")))
        let inFile = BatchMatcher(catalog: SongCatalog.catalog).match(path).answers
        let inMemory = try SongCatalog.catalog.matchAll(query: audio).filter(\.isAccepted)
        #expect(inFile.map(\.referenceID) == ["song 3"])
        #expect(inFile.map(\.offsetSeconds) == inMemory.map(\.offsetSeconds))
        #expect(inFile.map(\.score) == inMemory.map(\.score))
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
