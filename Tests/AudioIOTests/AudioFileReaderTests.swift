import AudioCore
import AudioIO
import TestSupport
import Testing

struct AudioFileReaderTests {
    @Test(
        arguments: ["wav-pcm16", "flac-24", "ogg-vorbis-q0.3", "mp3-128k", "ogg-opus-64k"],
        [1, 7, 1000, 48_000, 1_000_000])
    func blocksAddUpToTheWhole(name: String, block: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("audio")
        let seconds = block == 1 ? 0.1 : 1.5
        let audio = TestSignals.noise(seed: 1, seconds: seconds, sampleRate: 48_000, channelCount: 2)
        try AudioFile.write(audio, to: path, as: try #require(AudioEncoding(name)))
        let whole = try AudioFile.read(path)
        let reader = try AudioFileReader(path: path)
        #expect(reader.sampleRate == 48_000)
        #expect(reader.channelCount == 2)
        var position = 0
        while let part = try reader.read(maxFrames: block) {
            try #require(part.frameCount <= block && position + part.frameCount <= whole.frameCount)
            #expect(part == whole.frames(position..<position + part.frameCount))
            position += part.frameCount
        }
        #expect(position == whole.frameCount)
        #expect(try reader.read(maxFrames: block) == nil)
    }

    @Test func diskAndMemoryGiveTheSame() throws {
        let folder = try TemporaryFolder()
        let audio = TestSignals.noise(seed: 2, seconds: 0.5, sampleRate: 44_100)
        for encoding in AudioEncoding.all where encoding.takes(sampleRate: 44_100) {
            let bytes = try AudioFile.encode(audio, as: encoding)
            let path = folder.file("file.\(encoding.fileExtension)")
            try AtomicFile.write(bytes, to: path)
            #expect(try AudioFile.read(path) == AudioFile.decode(bytes, name: encoding.name))
        }
    }

    @Test func infoNamesTheFormat() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.flac")
        try AudioFile.write(
            TestSignals.noise(seed: 3, seconds: 0.1, sampleRate: 22_050, channelCount: 2), to: path,
            as: try #require(AudioEncoding("flac-16")))
        let info = try AudioFile.info(path)
        #expect(info.sampleRate == 22_050 && info.channelCount == 2)
        #expect(info.formatName.contains("FLAC"))
    }
}
