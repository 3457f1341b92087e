import AudioCore
import AudioIO
import Foundation
import SystemIO
import TestSupport
import Testing

/// What is in a file that is no sound is decoded or named, never taken for sound without a word.
struct HonestReadingTests {
    private let folder: TemporaryFolder
    private static let audio = AudioBuffer(
        samples: [5, 6].flatMap { TestSignals.bandNoise(seed: $0, seconds: 8, sampleRate: 48_000).samples },
        sampleRate: 48_000, channelCount: 2)

    init() throws { folder = try TemporaryFolder() }

    private struct Reading {
        var samples: [Float] = []
        let remark: String?
        let damage: AudioDamage?

        init(_ reader: AudioFileReader) throws {
            while let block = try reader.read(maxFrames: 5000) { samples += block.interleaved }
            (remark, damage) = (reader.remark, reader.damage)
        }
    }

    private static func wav(_ seconds: Int = 8) throws -> [UInt8] {
        try AudioFile.encode(audio.frames(0..<(seconds * 48_000)), as: #require(AudioEncoding("wav-pcm16")))
    }

    private static func chunk(_ name: String, _ size: Int, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + content
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }

    @Test(arguments: ["id3 ", "LIST", "JUNK", "_PMX"]) func aCutChunkIsNoSound(name: String) throws {
        let whole = try Self.wav()
        let cut = whole + Self.chunk(name, 2_000_000, Self.random(1_000_000))
        let reading = try Reading(AudioFileReader(bytes: cut, name: "cut"))
        #expect(try reading.samples == Reading(AudioFileReader(bytes: whole, name: "whole")).samples)
        #expect(reading.remark == "its last chunk, \"\(name)\", is cut; 1000008 bytes are left out")
    }

    @Test func aPictureBehindTheSamplesIsNoSound() throws {
        let whole = try Self.wav()
        let reading = try Reading(AudioFileReader(bytes: whole + Self.random(1_000_000), name: "more"))
        #expect(try reading.samples == Reading(AudioFileReader(bytes: whole, name: "whole")).samples)
        #expect(reading.remark == "1000000 bytes behind its samples are no sound; they are left out")
    }

    @Test func manyChunksBehindTheSamplesAreNoSound() throws {
        let whole = try Self.wav()
        let chunks = [[UInt8]](repeating: Self.chunk("id3 ", 10, Self.random(10)), count: 3).flatMap { $0 }
        let reading = try Reading(
            AudioFileReader(bytes: whole + chunks + [UInt8](repeating: 1, count: 100_000), name: "more"))
        #expect(try reading.samples == Reading(AudioFileReader(bytes: whole, name: "whole")).samples)
        #expect(reading.remark == "100000 bytes behind its last chunk are left out")
    }

    @Test func severalChunksOfSamplesAreJoined() throws {
        let whole = try Self.wav()
        let samples = Array(whole[44...])
        let half = samples.count / 2
        let head = Array(whole[..<36])
        let split =
            head + Self.chunk("data", half, Array(samples[..<half])) + Self.chunk("LIST", 4, [1, 2, 3, 4])
            + Self.chunk("data", half, Array(samples[half...]))
        let reading = try Reading(AudioFileReader(bytes: split, name: "split"))
        #expect(try reading.samples == Reading(AudioFileReader(bytes: whole, name: "whole")).samples)
        #expect(reading.remark?.contains("several chunks") == true && reading.damage == nil)
    }

    @Test func moreThanTheHeaderStatesIsReadAndNamed() throws {
        var bytes = try Self.wav()
        let expected = try Reading(AudioFileReader(bytes: bytes, name: "whole")).samples
        bytes.replaceSubrange(40..<44, with: [0, 0xA0, 0x0B, 0])
        let reading = try Reading(AudioFileReader(bytes: bytes, name: "more"))
        #expect(reading.samples == expected)
        #expect(reading.remark?.hasSuffix("s more than its header states; they are read") == true)
    }

    @Test func bytesOfAPictureAreNamed() throws {
        var bytes = try Self.wav()
        bytes.replaceSubrange(44..., with: Self.random(bytes.count - 44))
        #expect(
            try Reading(AudioFileReader(bytes: bytes, name: "picture")).remark
                == "its samples look like bytes of something else than sound")
        #expect(try Reading(AudioFileReader(bytes: Self.wav(), name: "sound")).remark == nil)
    }

    /// Captures of digital outputs, and tracks of discs.
    @Test(arguments: [("ac3", "spdif"), ("dca", "spdif"), ("dca", "dts")])
    func codedSamplesAreDecoded(codec: String, format: String) throws {
        try AudioFile.write(Self.audio, to: folder.file("a.wav"), as: #require(AudioEncoding("wav-pcm16")))
        try ffmpeg([
            "-i", folder.file("a.wav"), "-c:a", codec, "-strict", "-2", "-b:a",
            codec == "ac3" ? "192k" : "768k",
            "-f", format, folder.file("raw"),
        ])
        try ffmpeg([
            "-f", "s16le", "-ar", "48000", "-ac", "2", "-i", folder.file("raw"), "-c", "copy",
            folder.file("coded.wav"),
        ])
        let decoded = try AudioFile.read(folder.file("coded.wav"))
        #expect(abs(decoded.durationSeconds - 8) < 0.1)
        let power = decoded.samples.reduce(0) { $0 + $1 * $1 } / Float(decoded.samples.count)
        let expected = Self.audio.samples.reduce(0) { $0 + $1 * $1 } / Float(Self.audio.samples.count)
        #expect(abs(power / expected - 1) < 0.1)
    }

    /// Two samples that cross zero are the first words of DTS, and a tone repeats them.
    @Test(arguments: [(2048, [0x84, 0x04]), (5356, [0xFF, 0x04])] as [(Int, [UInt8])])
    func samplesLikeAMarkAreSound(distance: Int, next: [UInt8]) throws {
        var bytes = try Self.wav()
        for place in stride(from: 1044, to: bytes.count - 6, by: distance) {
            bytes.replaceSubrange(place..<(place + 6), with: [0x7F, 0xFE, 0x80, 0x01] + next)
        }
        let reading = try Reading(AudioFileReader(bytes: bytes, name: "tone"))
        #expect(reading.remark == nil && reading.samples.count == 16 * 48_000)
    }

    /// Programs that write a file anew, and copies over it.
    @Test(arguments: ["wav-pcm16", "flac-16", "mp3-128k", "ogg-vorbis-q0.3", "wav-ima-adpcm"])
    func aFileThatGetsShorterIsReadToItsEnd(name: String) throws {
        let encoding = try #require(AudioEncoding(name))
        let audio = AudioBuffer(samples: Self.audio.mono(), sampleRate: 48_000)
        let bytes = try AudioFile.encode(audio, as: encoding)
        let path = folder.file("live")
        try AtomicFile.write(bytes, to: path)
        let reader = try AudioFileReader(path: path)
        _ = try reader.read(maxFrames: 10_000)
        try #require(truncate(path, bytes.count / 3) == 0)
        var frames = 0
        while let block = try reader.read(maxFrames: 10_000) { frames += block.frameCount }
        #expect(
            frames < audio.frameCount && reader.damage?.reason.contains("became shorter") == true,
            "\(reader.damage as Any)")
    }

    @Test func aFileThatGrowsIsReadAsItWas() throws {
        let path = folder.file("live")
        try AtomicFile.write(Self.wav(4), to: path)
        let reader = try AudioFileReader(path: path)
        _ = try reader.read(maxFrames: 10_000)
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: [UInt8](repeating: 3, count: 400_000))
        let rest = try Reading(reader)
        #expect(rest.samples.count == 2 * (4 * 48_000 - 10_000))
        #expect(rest.remark == "the file changed while it was read; what was added is left out")
    }

    /// The clock of a broadcast runs to 95,443 s, and that of a recorder for days.
    @Test(
        arguments: [
            ("a.ts", ["-c:a", "mp2"]), ("a.ts", ["-c:a", "aac"]), ("a.ts", ["-c:a", "ac3"]),
            ("a.mka", ["-c:a", "aac"]),
            ("a.webm", ["-c:a", "libopus"]), ("a.flv", ["-c:a", "aac"]), ("a.mp4", ["-c:a", "aac"]),
        ], [9999, 80_000, 95_440, 200_000])
    func clocksMoveNothing(file: (name: String, codec: [String]), start: Int) throws {
        try AudioFile.write(Self.audio, to: folder.file("a.wav"), as: #require(AudioEncoding("wav-pcm16")))
        let name = folder.file(file.name)
        try ffmpeg(["-i", folder.file("a.wav")] + file.codec + [name])
        let early = try Reading(AudioFileReader(path: name))
        try #require(remove(name) == 0)
        try ffmpeg(
            ["-i", folder.file("a.wav")] + file.codec + ["-output_ts_offset", "\(start)", "-copyts", name])
        let late = try Reading(AudioFileReader(path: name))
        #expect(late.damage == nil, "\(late.damage as Any)")
        #expect(
            abs(late.samples.count - early.samples.count) < 2 * 2400,
            "\(late.samples.count), \(early.samples.count)")
    }
}
