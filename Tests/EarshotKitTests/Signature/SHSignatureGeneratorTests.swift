import AudioCore
import EarshotKit
import Fingerprinting
import KitTestSupport
import TestSupport
import Testing

/// Signatures of buffers do not depend on buffer sizes, and gaps are found.
@Suite struct SHSignatureGeneratorTests {
    private let audio = SongBook.songs[1].render(from: 2, seconds: 6)
    /// The song with noise: it has nothing in the high band, where rounding alone would make peaks.
    private var fullBand: AudioBuffer {
        let noise = TestSignals.noise(
            seed: 1, amplitude: 0.03, seconds: 6, sampleRate: audio.sampleRate, channelCount: 1)
        return AudioBuffer(
            samples: zip(audio.samples, noise.samples).map { $0 + $1 }, sampleRate: audio.sampleRate)
    }

    private func code(_ body: () throws -> Void) -> SHError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SHError)?.code
        }
    }

    private func append(
        _ seconds: Double, to generator: SHSignatureGenerator, at sampleTime: Int64, rate: Double = 16_000
    ) throws {
        let buffer = audio.frames(0..<Int(seconds * 16_000)).pcmBuffer()
        try generator.append(buffer, at: AVAudioTime(sampleTime: sampleTime, atRate: rate))
    }

    @Test(arguments: [100, 1024, 4096, 16_001])
    func bufferSizesDoNotMatter(frames: Int) throws {
        let generator = SHSignatureGenerator()
        var start = 0
        for buffer in audio.pcmBuffers(ofFrames: frames) {
            try generator.append(buffer, at: AVAudioTime(sampleTime: Int64(start), atRate: 16_000))
            start += Int(buffer.frameLength)
        }
        let whole = try SignatureExtractor.signature(of: audio, detail: .query)
        #expect(generator.signature().signature == whole)
        #expect(whole.peaks.count > 200)
    }

    @Test func snapshotsDoNotDisturb() throws {
        let generator = SHSignatureGenerator()
        for (number, buffer) in audio.pcmBuffers(ofFrames: 8000).enumerated() {
            try generator.append(buffer, at: nil)
            let snapshot = generator.signature()
            #expect(snapshot == generator.signature())
            #expect(snapshot.duration == Double(number + 1) / 2)
            #expect(try snapshot == SHSignature.of(audio.frames(0..<(8000 * (number + 1)))))
        }
    }

    @Test func layoutsOfSamplesDoNotMatter() throws {
        let audio = fullBand
        let whole = try SHSignature.of(audio)
        for (common, interleaved) in [
            (AVAudioCommonFormat.pcmFormatInt16, true), (.pcmFormatInt32, false), (.pcmFormatFloat32, true),
        ] {
            let format = try #require(
                AVAudioFormat(
                    commonFormat: common, sampleRate: 16_000, channels: 2, interleaved: interleaved))
            let frames = AVAudioFrameCount(audio.frameCount)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames))
            buffer.frameLength = frames
            for channel in 0..<2 {
                for (frame, sample) in audio.samples.enumerated() {
                    let place = frame * buffer.stride
                    buffer.floatChannelData?[channel][place] = sample
                    buffer.int16ChannelData?[channel][place] = Int16(sample * 32_767)
                    buffer.int32ChannelData?[channel][place] = Int32(Double(sample) * 0x1p30)
                }
            }
            let generator = SHSignatureGenerator()
            try generator.append(buffer, at: nil)
            let peaks = generator.signature().signature.peaks.count
            #expect(abs(peaks - whole.signature.peaks.count) < peaks / 20)
        }
    }

    @Test func noAudioAndSilenceHaveNoPeaks() throws {
        let generator = SHSignatureGenerator()
        #expect(generator.signature().duration == 0)
        try generator.append(AudioBuffer(silentFrames: 48_000, sampleRate: 16_000).pcmBuffer(), at: nil)
        let silence = generator.signature()
        #expect(silence.duration == 3 && silence.signature.peaks.isEmpty)
        #expect(try SHSignature(dataRepresentation: silence.dataRepresentation) == silence)
    }

    @Test func unsupportedFormatsAreError100() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100.5, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 16))
        buffer.frameLength = 16
        #expect(code { try SHSignatureGenerator().append(buffer, at: nil) } == .invalidAudioFormat)
    }

    @Test func changedFormatsAreError100AndDoNotCount() throws {
        let generator = SHSignatureGenerator()
        try generator.append(audio.pcmBuffer(), at: nil)
        let before = generator.signature()
        let other = AudioBuffer(silentFrames: 100, sampleRate: 8000)
        let stereo = AudioBuffer(silentFrames: 100, sampleRate: 16_000, channelCount: 2)
        for audio in [other, stereo] {
            #expect(code { try generator.append(audio.pcmBuffer(), at: nil) } == .invalidAudioFormat)
        }
        #expect(generator.signature() == before)
    }

    @Test(arguments: [Float.nan, .infinity])
    func nonFiniteSamplesAreError200AndDoNotCount(sample: Float) throws {
        let generator = SHSignatureGenerator()
        try append(2, to: generator, at: 0)
        let before = generator.signature()
        let bad = AudioBuffer(samples: [0, sample, 0], sampleRate: 16_000)
        #expect(code { try generator.append(bad.pcmBuffer(), at: nil) } == .signatureInvalid)
        #expect(generator.signature() == before)
        try append(1, to: generator, at: 32_000)
        #expect(generator.signature().duration == 3)
    }

    @Test(arguments: [161, -161, 16_000, -32_000])
    func gapsAndOverlapsAreError101AndDoNotCount(frames: Int64) throws {
        let generator = SHSignatureGenerator()
        try append(1, to: generator, at: 500_000)
        try append(1, to: generator, at: 516_000)
        #expect(code { try append(1, to: generator, at: 532_000 + frames) } == .audioDiscontinuity)
        #expect(generator.signature().duration == 2)
        try append(1, to: generator, at: 532_000)
        #expect(generator.signature().duration == 3)
    }

    /// The tolerance of 10 ms is for the sum of all gaps.
    @Test func smallGapsAddUp() throws {
        let generator = SHSignatureGenerator()
        try append(1, to: generator, at: 0)
        try append(1, to: generator, at: 16_100)
        #expect(code { try append(1, to: generator, at: 32_200) } == .audioDiscontinuity)
    }

    @Test func timesMayHaveAnotherRateThanTheBuffers() throws {
        let generator = SHSignatureGenerator()
        try append(1, to: generator, at: 0, rate: 44_100)
        try append(1, to: generator, at: 44_100, rate: 44_100)
        #expect(code { try append(1, to: generator, at: 32_000, rate: 44_100) } == .audioDiscontinuity)
    }

    @Test func withoutATimeAudioIsContiguous() throws {
        let generator = SHSignatureGenerator()
        let buffer = audio.frames(0..<16_000).pcmBuffer()
        try append(1, to: generator, at: 0)
        try generator.append(buffer, at: nil)
        try append(1, to: generator, at: 9_000_000)
        try append(1, to: generator, at: 9_016_000)
        #expect(code { try append(1, to: generator, at: 0) } == .audioDiscontinuity)
        #expect(generator.signature().duration == 4)
    }

    @Test func hostTimesMayJitter() throws {
        let generator = SHSignatureGenerator()
        let buffer = audio.frames(0..<16_000).pcmBuffer()
        for seconds in [5, 6.09, 7.02] {
            try generator.append(
                buffer, at: AVAudioTime(hostTime: AVAudioTime.hostTime(forSeconds: seconds)))
        }
        let late = AVAudioTime(hostTime: AVAudioTime.hostTime(forSeconds: 8.2))
        #expect(code { try generator.append(buffer, at: late) } == .audioDiscontinuity)
    }
}
