import AudioCore
import AudioIO
import EarshotKit
import TestSupport
import Testing

struct AVAudioFileTests {
    private let folder: TemporaryFolder
    private let audio = TestSignals.noise(seed: 5, seconds: 3.3, sampleRate: 22_050, channelCount: 2)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func url(_ encoding: String = "wav-pcm16") throws -> URL {
        let path = folder.file("\(encoding).audio")
        try AudioFile.write(audio, to: path, as: #require(AudioEncoding(encoding)))
        return URL(fileURLWithPath: path)
    }

    private func buffer(_ file: AVAudioFile, _ capacity: Int) throws -> AVAudioPCMBuffer {
        try #require(
            AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(capacity)))
    }

    @Test(arguments: [
        ("wav-pcm16", AVAudioCommonFormat.pcmFormatInt16), ("wav-pcm32", .pcmFormatInt32),
        ("wav-float", .pcmFormatFloat32), ("wav-double", .pcmFormatFloat64), ("wav-pcm24", .otherFormat),
        ("flac-16", .otherFormat), ("ogg-vorbis-q0.6", .otherFormat),
    ])
    func formatsAreThoseOfTheFile(encoding: String, kind: AVAudioCommonFormat) throws {
        let file = try AVAudioFile(forReading: url(encoding))
        #expect(file.fileFormat.commonFormat == kind)
        for format in [file.fileFormat, file.processingFormat] {
            #expect(format.sampleRate == 22_050 && format.channelCount == 2)
        }
        #expect(file.processingFormat.isStandard)
        #expect(try file.length == AVAudioFramePosition(AudioFile.read(url(encoding).path).frameCount))
        #expect(file.framePosition == 0)
    }

    @Test(arguments: [1000, 65_536, 1 << 20], AVAudioFormatTests.kinds)
    func readingInPiecesGivesTheWholeFile(capacity: Int, kind: AVAudioCommonFormat) throws {
        let url = try url()
        let file = try AVAudioFile(forReading: url, commonFormat: kind, interleaved: true)
        #expect(file.processingFormat.commonFormat == kind && file.processingFormat.isInterleaved)
        let piece = try buffer(file, capacity)
        var planes: [[Float]] = [[], []]
        while file.framePosition < file.length {
            try file.read(into: piece)
            let samples = try piece.samples()
            for channel in 0..<2 { planes[channel] += samples.channel(channel) }
            #expect(file.framePosition == AVAudioFramePosition(planes[0].count))
        }
        #expect(try planes.flatMap { $0 } == AudioFile.read(url.path).samples)
    }

    @Test(arguments: ["wav-pcm16", "ogg-vorbis-q0.6"])
    func positionsCanBeReadInAnyOrder(encoding: String) throws {
        let url = try url(encoding)
        let whole = try AudioFile.read(url.path)
        let file = try AVAudioFile(forReading: url)
        let piece = try buffer(file, 500)
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<20 {
            let start = generator.index(below: whole.frameCount)
            file.framePosition = AVAudioFramePosition(start)
            try file.read(into: piece, frameCount: 300)
            let end = min(whole.frameCount, start + 300)
            #expect(try piece.samples() == whole.frames(start..<end))
            #expect(file.framePosition == AVAudioFramePosition(end))
        }
    }

    @Test func readingPastTheEndIsAnError() throws {
        let file = try AVAudioFile(forReading: url())
        let piece = try buffer(file, 100)
        for position in [file.length, file.length + 1, .max, -1] {
            file.framePosition = position
            piece.frameLength = 50
            let error = #expect(throws: AVFAudioError.self) { try file.read(into: piece) }
            #expect(error?.code == .endOfFile)
            #expect(piece.frameLength == 0)
        }
        file.framePosition = file.length - 1
        try file.read(into: piece, frameCount: .max)
        #expect(piece.frameLength == 1)
        file.framePosition = 0
        try file.read(into: piece, frameCount: 0)
        #expect(piece.frameLength == 0)
    }

    @Test func aTruncatedFileHasItsDecodableLength() throws {
        let url = try url()
        let bytes = try Data(contentsOf: url)
        try bytes.prefix(44 + 4 * 1000).write(to: url)
        let file = try AVAudioFile(forReading: url)
        #expect(file.length == 1000)
        let piece = try buffer(file, 2000)
        let error = #expect(throws: AVFAudioError.self) { try file.read(into: piece) }
        #expect(error?.code == .invalidFile && error?.message.contains("damaged at 0.05 s") == true)
        #expect(piece.frameLength == 1000)
        let end = #expect(throws: AVFAudioError.self) { try file.read(into: piece) }
        #expect(end?.code == .endOfFile)
    }

    /// Damage is an error of one call; all calls together give what is left.
    @Test func damageIsReportedOnce() throws {
        let audio = TestSignals.noise(seed: 5, seconds: 20, sampleRate: 22_050)
        var bytes = try AudioFile.encode(audio, as: #require(AudioEncoding("flac-16")))
        for place in (bytes.count / 2)..<(bytes.count / 2 + 3000) { bytes[place] = UInt8(place & 0xFF) }
        let path = folder.file("bad.flac")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let piece = try buffer(file, 10_000)
        var (messages, frames) = ([String](), 0)
        while file.framePosition < file.length {
            do { try file.read(into: piece) } catch {
                messages.append("\((error as? AVFAudioError)?.message ?? "")")
            }
            frames += Int(piece.frameLength)
        }
        #expect(messages.count == 1 && messages[0].contains("bad.flac: damaged at "), "\(messages)")
        #expect(frames == Int(file.length) && frames > 100_000)
    }

    @Test func openErrorsNameTheReason() throws {
        let text = folder.file("text.wav")
        try Data("not audio at all".utf8).write(to: URL(fileURLWithPath: text))
        let empty = folder.file("empty.wav")
        try Data().write(to: URL(fileURLWithPath: empty))
        let cases: [(String, AVFAudioError.Code)] = try [
            ("file://\(folder.path)/missing.wav", .fileNotFound), ("file://\(text)", .unsupportedFileType),
            ("file://\(empty)", .invalidFile), ("https://example.org/a.wav", .unsupportedFileType),
            ("file://\(folder.makeFolder("folder"))", .unsupportedFileType),
        ]
        for (address, code) in cases {
            let url = try #require(URL(string: address))
            let error = #expect(throws: AVFAudioError.self) { try AVAudioFile(forReading: url) }
            #expect(error?.code == code, "\(address)")
            #expect(error.map { ($0 as NSError).domain } == AVFAudioError.errorDomain)
            #expect(error?.localizedDescription.contains(url.isFileURL ? url.path : address) == true)
        }
        let url = try url()
        let kind = #expect(throws: AVFAudioError.self) {
            try AVAudioFile(forReading: url, commonFormat: .otherFormat, interleaved: false)
        }
        #expect(kind?.code == .unsupportedFormat)
    }

    @Test func wrongBuffersAndDamagedSamplesAreErrors() throws {
        let file = try AVAudioFile(forReading: url())
        let mono = try #require(AVAudioFormat(standardFormatWithSampleRate: 22_050, channels: 1))
        let wrong = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 10))
        let format = #expect(throws: AVFAudioError.self) { try file.read(into: wrong) }
        #expect(format?.code == .unsupportedFormat)

        let path = folder.file("nan.wav")
        let nan = AudioBuffer(samples: [0, 0.5, .nan, 0.5], sampleRate: 8000)
        try AudioFile.write(nan, to: path, as: #require(AudioEncoding("wav-float")))
        let damaged = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let piece = try buffer(damaged, 10)
        let error = #expect(throws: AVFAudioError.self) { try damaged.read(into: piece) }
        #expect(error?.code == .invalidFile)
        #expect(error?.message.contains("sample 2 of channel 0") == true)
    }
}
