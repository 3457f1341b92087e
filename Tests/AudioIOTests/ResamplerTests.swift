import AudioCore
import AudioIO
import SignalProcessing
import TestSupport
import Testing

struct ResamplerTests {
    static let rates = [
        8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 37_800, 44_100, 48_000, 88_200, 96_000, 176_400,
        192_000,
    ]

    /// The same continuous signal sampled directly at the target rate is the truth.
    @Test(arguments: rates)
    func outputIsTheSignalSampledAtTheTarget(rate: Int) throws {
        let source = TestSignals.bandNoise(seed: 1, seconds: 1, sampleRate: 44_100)
        let truth = TestSignals.bandNoise(seed: 1, seconds: 1, sampleRate: rate)
        let resampled = try Resampler.resample(source, to: rate)
        #expect(resampled.sampleRate == rate)
        #expect(resampled.frameCount == truth.frameCount)
        let lag = CrossCorrelation.bestLag(of: resampled.samples, in: truth.samples, maxLag: rate / 50)
        #expect(abs(lag.lag) < 0.01, "\(lag.lag) samples")
        // Away from the ends, the error of the filter is −90 dB. Silence is assumed beyond the ends.
        let middle = truth.frameCount / 10..<truth.frameCount * 9 / 10
        let error = zip(resampled.samples[middle], truth.samples[middle]).map { $0 - $1 }
        let residue = AudioBuffer(samples: error, sampleRate: rate).meanPower / truth.frames(middle).meanPower
        #expect(Decibels.fromPowerRatio(residue) < -90, "\(Decibels.fromPowerRatio(residue)) dB")
    }

    @Test(arguments: [(21, 20), (20, 21), (1001, 1000), (3, 2), (500, 499)])
    func speedChangeMovesEverySampleToItsPlace(numerator: Int, denominator: Int) throws {
        let source = TestSignals.bandNoise(seed: 2, seconds: 1, sampleRate: 16_000)
        let result = try Resampler.resample(source, lengthRatio: numerator, over: denominator)
        #expect(result.sampleRate == 16_000)
        let exact = Double(source.frameCount * numerator) / Double(denominator)
        #expect(result.frameCount == Int(exact.rounded()))
        // The result is the same signal sampled at 16 kHz · ratio. A multiple of `denominator` is on a sample of the
        // source.
        for step in stride(from: 100, to: source.frameCount / denominator - 100, by: 1) {
            #expect(abs(result.samples[step * numerator] - source.samples[step * denominator]) < 1e-4)
        }
    }

    @Test(
        arguments: [0.1, 0.5, 0.9523809, 1, 1.0884353, 3.7],
        [StreamingResampler.Quality.best, .medium, .fastest])
    func chunkingChangesNoBit(ratio: Double, quality: StreamingResampler.Quality) throws {
        let input = TestSignals.noise(seed: 3, seconds: 1, sampleRate: 20_000).samples
        var whole: [Float] = []
        var resampler = try StreamingResampler(ratio: ratio, quality: quality)
        resampler.process(input, into: &whole)
        resampler.finish(into: &whole)
        #expect(whole.count == Int((Double(input.count) * ratio).rounded()))
        for seed in 0..<4 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var chunked: [Float] = []
            var start = 0
            while start < input.count {
                let end = min(input.count, start + generator.index(below: seed == 0 ? 3 : 5000))
                resampler.process(Array(input[start..<end]), into: &chunked)
                start = end
            }
            // Finishing resets the instance.
            resampler.finish(into: &chunked)
            #expect(chunked == whole)
        }
    }

    @Test func channelsAreResampledAlike() throws {
        let mono = TestSignals.noise(seed: 4, seconds: 0.5, sampleRate: 44_100)
        let stereo = AudioBuffer(
            samples: mono.samples + mono.samples.map { -$0 }, sampleRate: 44_100, channelCount: 2)
        let result = try Resampler.resample(stereo, to: 8000)
        #expect(result.channel(0) == (try Resampler.resample(mono, to: 8000)).samples)
        #expect(result.channel(1) == result.channel(0).map { -$0 })
    }

    @Test func sameRateIsBitExact() throws {
        let signal = TestSignals.noise(seed: 5, seconds: 0.1, sampleRate: 8000, channelCount: 2)
        #expect(try Resampler.resample(signal, to: 8000) == signal)
        #expect(try Resampler.resample(signal, lengthRatio: 7, over: 7) == signal)
    }

    @Test func shortAndEmptyInputsKeepTheirLength() throws {
        for frames in [0, 1, 2, 3, 10] {
            let signal = AudioBuffer(silentFrames: frames, sampleRate: 8000)
            #expect(
                try Resampler.resample(signal, to: 44_100).frameCount
                    == Int((Double(frames) * 5.5125).rounded()))
            #expect(
                try Resampler.resample(signal, to: 1000).frameCount == Int((Double(frames) / 8).rounded()))
        }
    }

    @Test func absurdRatiosAreErrors() {
        let signal = AudioBuffer(silentFrames: 10, sampleRate: 8000)
        #expect(throws: ResamplerError.self) { try Resampler.resample(signal, to: 0) }
        #expect(throws: ResamplerError.self) { try Resampler.resample(signal, to: 8000 * 257) }
        #expect(throws: ResamplerError.self) { try Resampler.resample(signal, lengthRatio: 1, over: 0) }
        #expect(throws: ResamplerError.self) { try Resampler.resample(signal, lengthRatio: 1, over: 300) }
    }
}
