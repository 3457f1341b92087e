import AudioCore
import EarshotKit
import KitTestSupport
import TestSupport
import Testing

@Suite struct AudioFileWritingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

    private func settings(
        bits: Int, isFloat: Bool = false, rate: Double = 16_000, channels: Int = 2
    ) -> [String: Any] {
        [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate, AVNumberOfChannelsKey: channels,
            AVLinearPCMBitDepthKey: bits, AVLinearPCMIsFloatKey: isFloat,
        ]
    }

    private func read(_ url: URL) throws -> AudioBuffer {
        let file = try AVAudioFile(forReading: url)
        let buffer = try #require(
            AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length)))
        try file.read(into: buffer)
        return try buffer.samples()
    }

    /// Each file holds what was written, as exactly as its samples can.
    @Test(arguments: [
        ("wav", 8, false), ("wav", 16, false), ("wav", 24, false), ("wav", 32, false), ("WAV", 16, false),
        ("wav", 32, true), ("wav", 64, true), ("flac", 16, false), ("flac", 24, false),
    ])
    func aFileReadsAsItWasWritten(fileExtension: String, bits: Int, isFloat: Bool) throws {
        let mono = SongBook.songs[2].render(from: 3, seconds: 2)
        let audio = AudioBuffer(
            samples: mono.samples + mono.samples.reversed(), sampleRate: mono.sampleRate, channelCount: 2)
        let url = url("song.\(fileExtension)")
        do {
            let file = try AVAudioFile(
                forWriting: url,
                settings: settings(bits: bits, isFloat: isFloat, rate: Double(audio.sampleRate)))
            #expect(file.processingFormat.isStandard && file.fileFormat.channelCount == 2)
            for buffer in audio.pcmBuffers(ofFrames: 1000) { try file.write(from: buffer) }
            #expect(file.length == Int64(audio.frameCount) && file.framePosition == file.length)
            withExtendedLifetime(file) { #expect(!FileManager.default.fileExists(atPath: url.path)) }
        }
        let back = try read(url)
        #expect(back.sampleRate == audio.sampleRate && back.channelCount == 2)
        #expect(back.samples.count == audio.samples.count)
        // Rounding, and twice that for the number nearest to 1.
        let step = isFloat ? 0 : Float(sign: .plus, exponent: 1 - bits, significand: 1)
        #expect(zip(back.samples, audio.samples).allSatisfy { abs($0 - $1) <= step })
    }

    @Test func aWrittenFileIsFound() async throws {
        let url = url("clip.wav")
        let clip = SongBook.songs[1].render(from: 6, seconds: 5)
        let file = try AVAudioFile(
            forWriting: url, settings: settings(bits: 16, rate: Double(clip.sampleRate), channels: 1))
        try file.write(from: clip.pcmBuffer())
        file.close()
        let query = try await SHSignatureGenerator.signature(from: AVURLAsset(url: url))
        guard case .match(let match) = await SHSession(catalog: try SongBook.catalog()).result(from: query)
        else {
            Issue.record("no match")
            return
        }
        #expect(match.mediaItems.first?.title == SongBook.title(1))
        #expect(throws: AVFAudioError.self) { try file.write(from: clip.pcmBuffer()) }
    }

    /// Nothing is left of a file that is refused.
    @Test func whatCannotBeWrittenIsNamed() throws {
        let cases: [(String, [String: Any], AVFAudioError.Code)] = [
            ("a.mp3", settings(bits: 16), .unsupportedFileType),
            ("a.aiff", settings(bits: 16), .unsupportedFileType),
            ("a.flac", settings(bits: 32, isFloat: true), .unsupportedFileType),
            ("a.flac", settings(bits: 8), .unsupportedFileType),
            ("a.wav", settings(bits: 12), .unsupportedFormat),
            ("a.wav", settings(bits: 16, rate: 44_100.5), .unsupportedFormat),
            ("a.wav", [:], .unsupportedFormat),
            (
                "a.m4a", [AVFormatIDKey: 0x6161_6320, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1],
                .unsupportedFileType
            ),
            ("none/a.wav", settings(bits: 16), .unsupportedFormat),
        ]
        for (name, settings, code) in cases {
            let error = #expect(throws: AVFAudioError.self) {
                try AVAudioFile(forWriting: url(name), settings: settings)
            }
            #expect(error?.code == code, "\(name): \(error.map { "\($0)" } ?? "")")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let file = try AVAudioFile(forWriting: url("b.wav"), settings: settings(bits: 16))
        let mono = SongBook.songs[0].render(from: 0, seconds: 0.1).pcmBuffer()
        #expect(throws: AVFAudioError.self) { try file.write(from: mono) }
        #expect(throws: AVFAudioError.self) { try file.read(into: mono) }
    }

    @Test func anAssetTellsItsDurationAndTracks() async throws {
        let url = url("clip.wav")
        let clip = SongBook.songs[1].render(from: 6, seconds: 1.25)
        do {
            let file = try AVAudioFile(
                forWriting: url, settings: settings(bits: 16, rate: Double(clip.sampleRate), channels: 1))
            try file.write(from: clip.pcmBuffer())
        }
        let asset = AVURLAsset(url: url)
        let (duration, tracks) = try await asset.load(.duration, .tracks)
        #expect(duration.seconds == 1.25 && CMTimeGetSeconds(duration) == 1.25 && tracks.count == 1)
        #expect(try await asset.load(.duration) == CMTime(value: 5, timescale: 4))
        #expect(try await asset.loadTracks(withMediaType: .audio).map(\.trackID) == [1])
        #expect(try await asset.loadTracks(withMediaType: .video).isEmpty)
        await #expect(throws: AVFAudioError.self) {
            try await AVAsset(url: self.url("missing.wav")).load(.duration)
        }
    }

    @Test func timesCompareAndAddExactly() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<1000 {
            let (a, b) = (
                Int64.random(in: -9999...9999, using: &random), Int64.random(in: -9999...9999, using: &random)
            )
            let (s, t) = (Int32.random(in: 1...50, using: &random), Int32.random(in: 1...50, using: &random))
            let (x, y) = (CMTime(value: a, timescale: s), CMTime(value: b, timescale: t))
            #expect((x < y) == (a * Int64(t) < b * Int64(s)) && (x == y) == (a * Int64(t) == b * Int64(s)))
            if x == y { #expect(x.hashValue == y.hashValue) }
            let same = CMTime(value: b, timescale: s)
            #expect(x + same == CMTime(value: a + b, timescale: s))
            #expect(x - same == CMTime(value: a - b, timescale: s))
            #expect(CMTime(value: a * 3, timescale: s * 3).hashValue == x.hashValue)
        }
        #expect(CMTime(seconds: 1.5, preferredTimescale: 600) == CMTime(value: 900, timescale: 600))
        #expect(!CMTime.invalid.isValid && CMTime.invalid.seconds.isNaN && CMTime.zero < .invalid)
        for seconds in [Double.nan, .infinity, 1e300] {
            #expect(!CMTime(seconds: seconds, preferredTimescale: 600).isValid)
        }
    }
}
