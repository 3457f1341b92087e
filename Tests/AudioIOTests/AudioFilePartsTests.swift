import AudioCore
import AudioIO
import TestSupport
import Testing

struct AudioFilePartsTests {
    /// In order, backwards, and beyond the end.
    @Test(arguments: ["wav-pcm16", "flac-16", "ogg-vorbis-q0.3", "mp3-128k"])
    func partsAreThoseOfTheWhole(name: String) throws {
        let folder = try TemporaryFolder()
        let rate = 16_000
        let audio = TestSignals.noise(seed: 6, seconds: 30, sampleRate: rate, channelCount: 2)
        try AudioFile.write(audio, to: folder.file("audio"), as: try #require(AudioEncoding(name)))
        let whole = try AudioFile.read(folder.file("audio"))
        let parts = try AudioFileParts(path: folder.file("audio"))
        #expect(parts.sampleRate == rate)
        var generator = SeededGenerator(seed: 7)
        for number in 0..<40 {
            let start = generator.index(below: whole.frameCount)
            let end = min(start + generator.index(below: 3 * rate), whole.frameCount)
            #expect(try parts.frames(start..<end) == whole.frames(start..<end))
            // The first time between parts, which it must not disturb.
            if number == 5 { #expect(try parts.frameCount == whole.frameCount) }
        }
        let end = whole.frameCount
        #expect(try parts.frames(end - 10..<end + 10) == whole.frames(end - 10..<end))
        #expect(try parts.frames(end + 5..<end + 10).isEmpty)
        #expect(try parts.frames(0..<rate) == whole.frames(0..<rate))
    }
}
