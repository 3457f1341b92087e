import AudioCore
import AudioIO
import SystemIO
import TestSupport
import Testing

/// A length in a header is a claim: all audio is read, and what is no audio is passed over.
struct StatedLengthTests {
    private static let audio = TestSignals.bandNoise(seed: 5, seconds: 3, sampleRate: 32_000)

    private static func wav(_ audio: AudioBuffer = audio, _ encoding: String = "wav-pcm16") throws -> [UInt8]
    {
        try AudioFile.encode(audio, as: #require(AudioEncoding(encoding)))
    }

    private static func read(_ bytes: [UInt8]) throws -> (audio: [Float], damage: AudioDamage?) {
        let reader = try AudioFileReader(bytes: bytes, name: "file")
        var samples: [Float] = []
        while let block = try reader.read(maxFrames: 1000) { samples += block.samples }
        return (samples, reader.damage)
    }

    /// The bytes with a number of four bytes in the place of another.
    private static func set(_ bytes: [UInt8], _ place: Int, _ number: Int, bigEndian: Bool = false) -> [UInt8]
    {
        var bytes = bytes
        for byte in 0..<4 {
            bytes[place + (bigEndian ? 3 - byte : byte)] = UInt8(truncatingIfNeeded: number >> (8 * byte))
        }
        return bytes
    }

    private static func place(of text: String, in bytes: [UInt8]) throws -> Int {
        try #require(bytes.firstRange(of: Array(text.utf8))).lowerBound
    }

    @Test(
        arguments: ["wav-pcm16", "wav-pcm24", "wav-float", "wav-pcm-u8", "wav-ulaw"],
        [0, 1, 4000, 50_001, 0xFFFF_FFFF])
    func allSamplesBehindAWrongLengthAreRead(encoding: String, length: Int) throws {
        let bytes = try Self.wav(Self.audio, encoding)
        let expected = try Self.read(bytes).audio
        let data = try Self.place(of: "data", in: bytes)
        // Whole samples, as the rest of one would move all others.
        let (audio, damage) = try Self.read(
            Self.set(bytes, data + 4, length == 50_001 ? 48_000 : length / 12 * 12))
        #expect(audio == expected && damage == nil)
    }

    /// Whatever is left of a block when the samples of another kind begin.
    @Test(arguments: [1000, 4096, 30_000]) func joinedFilesOfOtherSamplesAreReadToTheEnd(block: Int) throws {
        let parts = try ["wav-pcm24", "wav-pcm16", "wav-float"].map { try Self.wav(Self.audio, $0) }
        let expected = try parts.flatMap { try Self.read($0).audio }
        let reader = try AudioFileReader(bytes: parts.flatMap { $0 }, name: "file")
        var samples: [Float] = []
        while let block = try reader.read(maxFrames: block) { samples += block.samples }
        #expect(samples == expected && reader.damage == nil)
    }

    @Test func samplesThatLookLikeAChunkAreRead() throws {
        var bytes = try Self.wav()
        let end = try Self.place(of: "data", in: bytes) + 8 + 2000
        bytes.replaceSubrange(end..<(end + 8), with: Array("LIST".utf8) + [16, 0, 0, 0])
        let expected = try Self.read(bytes).audio
        #expect(try Self.read(Self.set(bytes, end - 2004, 2000)).audio == expected)
    }

    @Test func chunksBehindTheSamplesAreNoAudio() throws {
        let bytes = try Self.wav()
        let more = bytes + Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8) + [1, 2, 3]
        let (audio, damage) = try Self.read(more)
        #expect(try audio == Self.read(bytes).audio && damage == nil)
    }

    @Test func aLengthBeyondTheFileIsNamed() throws {
        let bytes = try Self.wav()
        let data = try Self.place(of: "data", in: bytes)
        let (audio, damage) = try Self.read(Self.set(bytes, data + 4, 1_000_000))
        #expect(try audio == Self.read(bytes).audio)
        #expect(damage?.reason == "the file ends before its audio does")
    }

    @Test(arguments: [0, 1, 20]) func anMP3WithFewerStatedFramesIsReadWhole(frames: Int) throws {
        let bytes = try Self.wav(Self.audio, "mp3-128k")
        let expected = try Self.read(bytes)
        let info = try #require(
            bytes.firstRange(of: Array("Info".utf8)) ?? bytes.firstRange(of: Array("Xing".utf8)))
        let (audio, damage) = try Self.read(
            Self.set(bytes, info.lowerBound + 8, frames, bigEndian: true))
        #expect(audio == expected.audio && damage == nil)
    }

    @Test(arguments: [0, 10_000]) func aFLACWithFewerStatedSamplesIsReadWhole(samples: Int) throws {
        let bytes = try Self.wav(Self.audio, "flac-16")
        let (audio, damage) = try Self.read(Self.set(bytes, 22, samples, bigEndian: true))
        #expect(try audio == Self.read(bytes).audio && damage == nil)
    }

    @Test(arguments: ["wav-pcm16", "wav-float", "flac-16", "caf-alac16", "mp3-128k", "ogg-vorbis-q0.3"])
    func joinedFilesAreReadWhole(encoding: String) throws {
        let parts = try [
            Self.wav(Self.audio, encoding), Self.wav(Self.audio.frames(5000..<80_000), encoding),
            Self.wav(Self.audio.frames(0..<40_000), encoding),
        ]
        let (audio, damage) = try Self.read(parts.flatMap { $0 })
        let expected = try parts.flatMap { try Self.read($0).audio }
        #expect(audio.count == expected.count && damage == nil, "\(damage as Any)")
        #expect(audio == expected)
    }

    /// Joined files may have samples of several kinds.
    @Test func joinedSamplesOfTwoKindsAreRead() throws {
        let (whole, floats) = try (Self.wav(), Self.wav(Self.audio, "wav-float"))
        let (audio, damage) = try Self.read(whole + floats)
        #expect(try audio == Self.read(whole).audio + Self.read(floats).audio)
        #expect(damage == nil)
    }

    private static let tags: [[UInt8]] = {
        let body = [UInt8](repeating: 0x41, count: 20_000)
        let id3 = Array("ID3\u{3}\0\0\0\u{1}\u{1C}\u{20}".utf8) + body
        let title = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125)
        let lyrics = Array("LYRICSBEGIN".utf8) + body
        let size = String(lyrics.count)
        let number = String(repeating: "0", count: 6 - size.count) + size
        return [id3, title, lyrics + Array(number.utf8) + Array("LYRICS200".utf8) + title]
    }()

    @Test(arguments: ["wav-pcm16", "flac-16", "mp3-128k"], 0..<3)
    func tagsAtBothEndsAreNoAudio(encoding: String, tag: Int) throws {
        let bytes = try Self.wav(Self.audio, encoding)
        let (audio, damage) = try Self.read(Self.tags[0] + bytes + Self.tags[tag])
        #expect(try audio == Self.read(bytes).audio && damage == nil, "\(damage as Any)")
    }

    /// The bit reservoir goes on behind a tag.
    @Test func aTagBetweenFramesIsPassedOver() throws {
        let bytes = try Self.wav(Self.audio, "mp3-128k")
        // Frames of 128 kbit/s at 32 kHz have 576 bytes.
        let middle = 576 * 40
        let (audio, damage) = try Self.read(bytes[..<middle] + Self.tags[0] + bytes[middle...])
        #expect(try audio == Self.read(bytes).audio && damage == nil, "\(damage as Any)")
    }

    @Test func bytesThatAreNoAudioAreNamed() throws {
        let bytes = try Self.wav(Self.audio, "mp3-128k")
        let middle = 576 * 40
        let (audio, damage) = try Self.read(bytes[..<middle] + Self.tags[0].suffix(9000) + bytes[middle...])
        #expect(try audio == Self.read(bytes).audio)
        #expect(damage?.reason.hasPrefix("9000 bytes are no MPEG audio") == true)
        #expect(abs((damage?.seconds ?? 0) - 40 * 1152 / 32_000) < 0.1)
    }
}
