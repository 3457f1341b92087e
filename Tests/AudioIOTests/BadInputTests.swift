import AudioCore
import AudioIO
import SystemIO
import TestSupport
import Testing

/// Invalid bytes give a clear error or audio, never a crash or a huge allocation.
struct BadInputTests {
    private let folder: TemporaryFolder
    private let wav: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        wav = try AudioFile.encode(
            TestSignals.noise(seed: 1, seconds: 0.5, sampleRate: 8000, channelCount: 2),
            as: try #require(AudioEncoding("wav-pcm16")))
    }

    @Test func emptyFile() throws {
        let path = try file("empty.wav", [])
        expect(.empty, in: path, saying: "0 bytes")
        #expect(throws: AudioFileError.self) { try AudioFile.decode([], name: "nothing") }
    }

    @Test func headerWithoutAudio() throws {
        var header = Array(wav[..<44])
        set(&header, at: 40, to: 0, bytes: 4)
        expect(.noSamples, in: try file("header.wav", header), saying: "without a single sample")
    }

    @Test(arguments: [1, 4, 11, 12, 20, 35, 43])
    func truncatedHeader(length: Int) throws {
        let path = try file("cut.wav", Array(wav[..<length]))
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(path) }
        #expect([.notAudio, .noSamples].contains(error?.code))
        #expect(error?.description.hasPrefix("\(path): ") == true)
    }

    @Test func truncatedDataGivesTheRemainingSamples() throws {
        let audio = try AudioFile.read(try file("half.wav", Array(wav[..<(44 + 4 * 1000)])))
        #expect(audio.frameCount == 1000)
        #expect(audio == (try AudioFile.decode(wav, name: "whole")).frames(0..<1000))
    }

    @Test(arguments: [
        "flac-16", "ogg-vorbis-q0.3", "ogg-opus-64k", "mp3-64k", "caf-alac16", "au-g721", "wav-gsm610",
    ])
    func truncatedCodecsYieldAPart(name: String) throws {
        let encoding = try #require(AudioEncoding(name))
        let rate = try #require(encoding.nearestRate(to: 16_000))
        let whole = TestSignals.noise(seed: 2, seconds: 4, sampleRate: rate)
        let bytes = try AudioFile.encode(whole, as: encoding)
        do {
            let part = try AudioFile.decode(Array(bytes[..<(bytes.count / 2)]), name: name)
            #expect(part.frameCount > 0 && part.frameCount < whole.frameCount + 16_000)
        } catch let error as AudioFileError {
            // An ALAC file has its table at the end, and cannot be read without it.
            #expect(name == "caf-alac16", "\(error)")
        }
    }

    @Test func understatedLengthIsIgnored() throws {
        var bytes = wav
        set(&bytes, at: 40, to: 0xFFFF_FFFF, bytes: 4)
        set(&bytes, at: 4, to: 0xFFFF_FFFF, bytes: 4)
        #expect(try AudioFile.read(try file("endless.wav", bytes)).frameCount == 4000)
    }

    @Test func textNamedWav() throws {
        let path = try file("text.wav", Array("This is not audio, it only says so.\n".utf8))
        expect(.notAudio, in: path, saying: "found text; expected an audio file")
        expect(
            .notAudio, in: try file("page.mp3", Array("%PDF-1.4 and so on \u{0}\u{1}".utf8)), saying: "PDF")
    }

    /// Needs its own process, because PATH applies to a whole process.
    @Test func noProgramIsStartedForWhatIsNoAudio() async {
        await #expect(processExitsWith: .success) {
            setenv("PATH", "/nowhere", 1)
            let heads = [
                "\u{89}PNG\r\n\u{1A}\n", "\u{FF}\u{D8}\u{FF}\u{E0}\0\u{10}JFIF", "GIF89a", "%PDF-1.7\n",
                "PK\u{03}\u{04}", "Rar!\u{1A}\u{07}", "7z\u{BC}\u{AF}'\u{1C}", "\u{1F}\u{8B}\u{08}\0",
                "SQLite format 3\0", "\u{7F}ELF", "RIFF\0\0\0\0WEBPVP8 ",
            ]
            let rest = [UInt8](repeating: 0, count: 4)
            for head in heads {
                let bytes = head.unicodeScalars.map { UInt8($0.value) } + rest
                let error = #expect(throws: AudioFileError.self) {
                    try AudioFile.decode(bytes, name: "x.mp3")
                }
                #expect(error?.code == .notAudio && error?.message.hasPrefix("found a") == true, "\(head)")
                // A tag is a reason to look further.
                let tagged = [UInt8]("ID3\u{03}\0\0\0\0\0\u{04}abcd".utf8) + bytes
                let other = #expect(throws: AudioFileError.self) {
                    try AudioFile.decode(tagged, name: "x.mp3")
                }
                #expect(other?.code == .decoderMissing, "\(head)")
            }
            // Of text, the last character that is looked at may be cut.
            for start in 0..<3 {
                let text = Array(
                    (String(repeating: "x", count: start) + String(repeating: "€", count: 2000)).utf8)
                let error = #expect(throws: AudioFileError.self) { try AudioFile.decode(text, name: "x.mp3") }
                #expect(error?.message == "found text; expected an audio file")
            }
            let samples = [UInt8](repeating: 0xFA, count: 5000)
            let error = #expect(throws: AudioFileError.self) { try AudioFile.decode(samples, name: "x.g722") }
            #expect(error?.code == .decoderMissing)
        }
    }

    @Test func noiseNamedMP3() throws {
        var generator = SeededGenerator(seed: 3)
        let path = try file("noise.mp3", (0..<5000).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(path) }
        #expect(error?.description.contains(path) == true)
    }

    @Test func missingFile() {
        expect(.missing, in: folder.file("none.wav"), saying: "there is no such file")
        expect(.missing, in: folder.file("none/none.wav"), saying: "there is no such file")
        expect(.missing, in: "", saying: "there is no such file")
    }

    @Test func folderAndDevice() {
        expect(.notAFile, in: folder.path, saying: "is a folder")
        expect(.notAFile, in: "/dev/zero", saying: "is a device")
    }

    @Test(arguments: [0, 1, 999, 768_001, 1_000_000_000])
    func absurdSampleRates(rate: Int) throws {
        var bytes = wav
        set(&bytes, at: 24, to: rate, bytes: 4)
        let path = try file("rate.wav", bytes)
        let error = #expect(throws: AudioFileError.self) { try AudioFile.read(path) }
        #expect([.unsupportedSampleRate, .notAudio].contains(error?.code))
        if rate > 0 { #expect(error?.message.contains("\(rate) Hz; expected 1000 to 768000 Hz") == true) }
    }

    @Test(arguments: [0, 65, 1024, 65_535])
    func absurdChannelCounts(channels: Int) throws {
        var bytes = wav
        set(&bytes, at: 22, to: channels, bytes: 2)
        set(&bytes, at: 32, to: 2 * channels & 0xFFFF, bytes: 2)
        let error = #expect(throws: AudioFileError.self) {
            try AudioFile.read(try file("channels.wav", bytes))
        }
        #expect([.unsupportedChannelCount, .notAudio].contains(error?.code))
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity])
    func samplesThatAreNoNumbers(value: Float) throws {
        var audio = AudioBuffer(silentFrames: 100_000, sampleRate: 8000, channelCount: 2)
        audio.withMutableChannel(1) { $0[70_003] = value }
        let path = folder.file("nan.wav")
        try AudioFile.write(audio, to: path, as: try #require(AudioEncoding("wav-float")))
        expect(.notFinite, in: path, saying: "sample 70003 of channel 1 is not a finite number")
    }

    @Test func singleSample() throws {
        let path = folder.file("one.wav")
        let one = AudioBuffer(samples: [0.5], sampleRate: 8000)
        try AudioFile.write(one, to: path, as: try #require(AudioEncoding("wav-pcm16")))
        #expect(try AudioFile.read(path) == one)
    }

    @Test func header32BitSizesDoNotAllocate() throws {
        // A FLAC header with a total of 2³⁶ − 1 samples.
        var bytes = try AudioFile.encode(
            TestSignals.noise(seed: 4, seconds: 0.5, sampleRate: 8000),
            as: try #require(AudioEncoding("flac-16")))
        bytes[21] |= 0x0F
        for index in 22..<26 { bytes[index] = 0xFF }
        let audio = try AudioFile.read(try file("long.flac", bytes))
        #expect(audio.frameCount == 4000)
    }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder.file(name)
        try AtomicFile.write(bytes, to: path)
        return path
    }

    private func set(_ bytes: inout [UInt8], at offset: Int, to value: Int, bytes count: Int) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    private func expect(
        _ code: AudioFileError.Code, in path: String, saying text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: AudioFileError.self, sourceLocation: sourceLocation) {
            try AudioFile.read(path)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(
            error?.description.hasPrefix("\(path): ") == true && error?.message.contains(text) == true,
            "\(error?.description ?? "no error")", sourceLocation: sourceLocation)
    }
}
