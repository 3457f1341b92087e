import AudioCore
import AudioIO
import SystemIO
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

    @Test func longAudioIsEncoded() throws {
        // More than libvorbis can put on a stack of 8 MiB at once.
        let audio = TestSignals.noise(seed: 4, seconds: 150, sampleRate: 16_000)
        let bytes = try AudioFile.encode(audio, as: try #require(AudioEncoding("ogg-vorbis-q0.1")))
        #expect(try AudioFile.decode(bytes, name: "long").frameCount == audio.frameCount)
    }

    @Test(arguments: ["wav-pcm16", "flac-16", "wav-pcm24", "mp3-128k"], [1, 2, 3])
    func blocksAreWhatTheDecoderGives(name: String, channelCount: Int) throws {
        let encoding = try #require(AudioEncoding(name))
        guard channelCount <= encoding.maxChannels else { return }
        let audio = TestSignals.noise(seed: 5, seconds: 0.3, sampleRate: 44_100, channelCount: channelCount)
        let bytes = try AudioFile.encode(audio, as: encoding)
        let whole = try AudioFile.decode(bytes, name: name).interleaved
        let reader = try AudioFileReader(bytes: bytes, name: name)
        var samples: [Float] = []
        while try reader.withNextBlock(
            maxFrames: 1000,
            { block -> Void in
                switch block {
                case .float(let block): samples += block
                case .int16(let block): samples += block.map { Float($0) / 32_768 }
                }
                #expect(block.count <= 1000 * channelCount && block.count.isMultiple(of: channelCount))
            }) != nil
        {}
        #expect(samples == whole)
    }

    @Test func diskAndMemoryGiveTheSame() throws {
        let folder = try TemporaryFolder()
        let audio = TestSignals.noise(seed: 2, seconds: 0.5, sampleRate: 44_100)
        for encoding in AudioEncoding.all
        where encoding.program == nil && encoding.takes(sampleRate: 44_100) {
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
