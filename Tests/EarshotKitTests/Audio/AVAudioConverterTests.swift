import AudioCore
import AudioIO
import EarshotKit
import TestSupport
import Testing

struct AVAudioConverterTests {
    /// Copies `audio` into a buffer of its rate and channels.
    static func buffer(
        _ audio: AudioBuffer, _ kind: AVAudioCommonFormat = .pcmFormatFloat32, interleaved: Bool = false
    ) throws -> AVAudioPCMBuffer {
        let floats = try format(audio.sampleRate, audio.channelCount)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: floats, frameCapacity: AVAudioFrameCount(audio.frameCount)))
        buffer.frameLength = buffer.frameCapacity
        for channel in 0..<audio.channelCount {
            for (frame, sample) in audio.channel(channel).enumerated() {
                buffer.floatChannelData?[channel][frame] = sample
            }
        }
        guard kind != .pcmFormatFloat32 || interleaved else { return buffer }
        let target = try format(audio.sampleRate, audio.channelCount, kind, interleaved: interleaved)
        let converted = try #require(
            AVAudioPCMBuffer(pcmFormat: target, frameCapacity: buffer.frameCapacity))
        try #require(AVAudioConverter(from: floats, to: target)).convert(to: converted, from: buffer)
        return converted
    }

    static func format(
        _ rate: Int, _ channels: Int, _ kind: AVAudioCommonFormat = .pcmFormatFloat32,
        interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(
                commonFormat: kind, sampleRate: Double(rate), channels: AVAudioChannelCount(channels),
                interleaved: interleaved))
    }

    /// Runs the usual conversion loop with pieces of random lengths and returns its output.
    private func convert(
        _ audio: AudioBuffer, _ converter: AVAudioConverter, capacity: Int, seed: UInt64
    ) throws -> AudioBuffer {
        var generator = SeededGenerator(seed: seed)
        var position = 0
        var planes = [[Float]](repeating: [], count: Int(converter.outputFormat.channelCount))
        let output = try #require(
            AVAudioPCMBuffer(
                pcmFormat: converter.outputFormat, frameCapacity: AVAudioFrameCount(capacity)))
        let scratch = try #require(
            AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: 4000))
        var calls = 0
        while true {
            var failure: NSError?
            let status = converter.convert(to: output, error: &failure) { wanted, status in
                #expect(wanted > 0)
                calls += 1
                // Some calls have no data yet.
                if calls.isMultiple(of: 5) {
                    status.pointee = .noDataNow
                    return nil
                }
                let end = min(audio.frameCount, position + 1 + generator.index(below: 4000))
                guard end > position else {
                    status.pointee = .endOfStream
                    return nil
                }
                // Reuses one buffer, as programs do.
                scratch.frameLength = AVAudioFrameCount(end - position)
                for channel in 0..<audio.channelCount {
                    let plane = audio.frames(position..<end).channel(channel)
                    for (frame, sample) in plane.enumerated() {
                        scratch.floatChannelData?[channel][frame * scratch.stride] = sample
                    }
                }
                position = end
                status.pointee = .haveData
                return scratch
            }
            let piece = try output.samples()
            for channel in planes.indices { planes[channel] += piece.channel(channel) }
            switch status {
            case .haveData: #expect(piece.frameCount > 0)
            case .inputRanDry: #expect(piece.frameCount < capacity)
            case .endOfStream:
                #expect(piece.isEmpty)
                return AudioBuffer(
                    samples: planes.flatMap { $0 }, sampleRate: piece.sampleRate, channelCount: planes.count)
            case .error: throw try #require(failure)
            }
        }
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 8000), (16_000, 16_000), (11_025, 96_000)])
    func piecesOfAnySizeGiveTheResamplersOutput(from: Int, to: Int) throws {
        let audio = TestSignals.noise(seed: 1, seconds: 1.01, sampleRate: from, channelCount: 2)
        let converter = try #require(
            AVAudioConverter(from: Self.format(from, 2), to: Self.format(to, 2)))
        let truth = try Resampler.resample(audio, to: to)
        for (seed, capacity) in [(1, 1000), (2, 32_768), (3, 1 << 20)] {
            #expect(try convert(audio, converter, capacity: capacity, seed: UInt64(seed)) == truth)
            // The stream is over until the converter is reset.
            let output = try #require(
                AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 10))
            let status = converter.convert(to: output, error: nil) { _, _ in
                Issue.record("called after the end")
                return nil
            }
            #expect(status == .endOfStream)
            converter.reset()
        }
        let whole = try #require(
            AVAudioPCMBuffer(
                pcmFormat: converter.outputFormat, frameCapacity: AVAudioFrameCount(truth.frameCount)))
        try converter.convert(to: whole, from: Self.buffer(audio))
        #expect(try whole.samples() == truth)
    }

    @Test func resetDropsPendingOutput() throws {
        let formats = try (Self.format(8000, 1), Self.format(16_000, 1))
        let converter = try #require(AVAudioConverter(from: formats.0, to: formats.1))
        let audio = TestSignals.noise(seed: 2, seconds: 0.5, sampleRate: 8000)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: formats.1, frameCapacity: 100))
        let input = try Self.buffer(audio)
        #expect(converter.convert(to: output, error: nil) { _, _ in input } == .haveData)
        converter.reset()
        #expect(
            try convert(audio, converter, capacity: 999, seed: 4) == Resampler.resample(audio, to: 16_000))
    }

    @Test(arguments: AVAudioFormatTests.kinds, [true, false])
    func sampleTypesAndLayoutsAreConverted(kind: AVAudioCommonFormat, interleaved: Bool) throws {
        let audio = TestSignals.noise(seed: 3, seconds: 0.1, sampleRate: 8000, channelCount: 3)
        let there = try Self.buffer(audio, kind, interleaved: interleaved)
        let back = try #require(
            AVAudioPCMBuffer(pcmFormat: Self.format(8000, 3), frameCapacity: there.frameCapacity))
        try #require(AVAudioConverter(from: there.format, to: back.format)).convert(to: back, from: there)
        let step: Float = kind == .pcmFormatInt16 ? 0x1p-16 : kind == .pcmFormatInt32 ? 0x1p-32 : 0
        #expect(back.frameLength == 800)
        for (sample, original) in zip(try back.samples().samples, audio.samples) {
            #expect(abs(sample - original) <= step)
        }
    }

    @Test func integersAreClippedAndNaNIsSilent() throws {
        let audio = AudioBuffer(samples: [2, -2, 1, -1, .nan, .infinity, 0.5], sampleRate: 8000)
        let short = try Self.buffer(audio, .pcmFormatInt16)
        let data = try #require(short.int16ChannelData)
        #expect((0..<7).map { data[0][$0] } == [32_767, -32_768, 32_767, -32_768, 0, 32_767, 16_384])
        let long = try Self.buffer(audio, .pcmFormatInt32)
        let longData = try #require(long.int32ChannelData)
        #expect((0..<4).map { longData[0][$0] } == [.max, .min, .max, .min])
        withExtendedLifetime((short, long)) {}
    }

    @Test func channelsAreCopiedDroppedOrMixed() throws {
        let audio = AudioBuffer(samples: [0.25, 0.5, -0.25, 1], sampleRate: 8000, channelCount: 2)
        func channels(_ audio: AudioBuffer, to count: Int, downmix: Bool = false) throws -> AudioBuffer {
            let converter = try #require(
                AVAudioConverter(from: Self.format(8000, audio.channelCount), to: Self.format(8000, count)))
            converter.downmix = downmix
            let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 2))
            try converter.convert(to: output, from: Self.buffer(audio))
            return try output.samples()
        }
        #expect(try channels(audio, to: 1).samples == [0.25, 0.5])
        #expect(try channels(audio, to: 1, downmix: true).samples == [0, 0.75])
        #expect(try channels(audio, to: 3).samples == [0.25, 0.5, -0.25, 1, 0, 0])
        let mono = AudioBuffer(samples: [0.5, -0.5], sampleRate: 8000)
        #expect(try channels(mono, to: 2).samples == [0.5, -0.5, 0.5, -0.5])
    }

    @Test func aQualityIsKept() throws {
        let format = try Self.format(8000, 1)
        let converter = try #require(AVAudioConverter(from: format, to: format))
        #expect(AVAudioQuality(rawValue: converter.sampleRateConverterQuality) == .max)
        converter.sampleRateConverterQuality = AVAudioQuality.high.rawValue
        #expect(converter.sampleRateConverterQuality == 96)
    }

    @Test func unsupportedConversionsHaveNoConverter() throws {
        let compressed = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatFLAC, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1,
            ]))
        #expect(try AVAudioConverter(from: compressed, to: Self.format(8000, 1)) == nil)
        #expect(try AVAudioConverter(from: Self.format(8000, 1), to: compressed) == nil)
        #expect(try AVAudioConverter(from: Self.format(257, 1), to: Self.format(1, 1)) == nil)
        #expect(try AVAudioConverter(from: Self.format(1, 1), to: Self.format(257, 1)) == nil)
    }

    @Test func wrongFormatsAndFullBuffersAreErrors() throws {
        let mono = try Self.format(8000, 1)
        let stereo = try Self.format(8000, 2)
        let converter = try #require(AVAudioConverter(from: mono, to: mono))
        let right = try Self.buffer(AudioBuffer(silentFrames: 4, sampleRate: 8000))
        let room = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 4))
        let wrong = try #require(AVAudioPCMBuffer(pcmFormat: stereo, frameCapacity: 4))
        wrong.frameLength = 4
        let empty = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 0))
        func code(_ output: AVAudioPCMBuffer, _ input: AVAudioPCMBuffer) -> Int? {
            var failure: NSError?
            let status = converter.convert(to: output, error: &failure) { _, _ in input }
            #expect((status == .error) == (failure != nil))
            return failure?.code
        }
        #expect(code(room, right) == nil)
        #expect(code(wrong, right) == AVFAudioError.Code.unsupportedFormat.rawValue)
        #expect(code(room, wrong) == AVFAudioError.Code.unsupportedFormat.rawValue)
        #expect(code(empty, right) == AVFAudioError.Code.invalidInputSize.rawValue)
        for (output, input, code) in [
            (wrong, right, AVFAudioError.Code.unsupportedFormat), (room, wrong, .unsupportedFormat),
            (empty, right, .invalidInputSize),
        ] {
            let error = #expect(throws: AVFAudioError.self) { try converter.convert(to: output, from: input) }
            #expect(error?.code == code)
        }
    }
}
