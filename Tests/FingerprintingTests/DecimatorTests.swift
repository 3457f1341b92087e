import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// The engine's own decimation, against libsamplerate and against itself.
struct DecimatorTests {
    private func decimate(_ audio: AudioBuffer, blocks: [Int] = []) -> [Float] {
        var decimator = Decimator(inputRate: audio.sampleRate, outputRate: 8000)
        var output: [Float] = []
        var start = 0
        var turn = 0
        while start < audio.frameCount {
            let size = blocks.isEmpty ? audio.frameCount : blocks[turn % blocks.count]
            let end = min(start + size, audio.frameCount)
            audio.samples[start..<end].withUnsafeBufferPointer { decimator.append($0, to: &output) }
            start = end
            turn += 1
        }
        decimator.finish(to: &output)
        return output
    }

    @Test(arguments: [
        1000, 4000, 6000, 7999, 8000, 8001, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 37_800, 44_100,
        44_101, 48_000,
        88_200, 96_000, 176_400, 192_000, 352_800, 767_999, 768_000,
    ])
    func agreesWithLibsamplerate(rate: Int) throws {
        // Within the band that passes both filters untouched.
        let top = min(2600.0, 0.3 * Double(rate))
        let audio = TestSignals.bandNoise(seed: 5, band: 100...top, seconds: 1, sampleRate: rate)
        let ours = decimate(audio)
        let theirs = try Resampler.resample(audio, to: 8000).samples
        #expect(abs(ours.count - theirs.count) <= 1)
        // The ends differ in what they take for the silence around the signal.
        let range = 400..<(min(ours.count, theirs.count) - 400)
        let error = range.reduce(0.0) { $0 + pow(Double(ours[$1] - theirs[$1]), 2) }
        let power = range.reduce(0.0) { $0 + pow(Double(theirs[$1]), 2) }
        #expect(Decibels.fromPowerRatio(error / power) < -48, "\(rate) Hz")
    }

    @Test(arguments: [6000, 44_100, 44_101, 48_000])
    func blocksChangeNothing(rate: Int) {
        let audio = TestSignals.noise(seed: 1, seconds: 0.4, sampleRate: rate)
        let whole = decimate(audio)
        #expect(whole.count == (audio.frameCount * 8000 + rate - 1) / rate)
        for blocks in [[1], [7, 1, 64], [4096], [5000, 3]] {
            #expect(decimate(audio, blocks: blocks) == whole)
        }
    }

    @Test func keepsOutWhatWouldFold() {
        let tone = TestSignals.sine(frequency: 5500, seconds: 1, sampleRate: 44_100)
        let output = AudioBuffer(samples: Array(decimate(tone)[400..<7600]), sampleRate: 8000)
        #expect(Decibels.fromPowerRatio(output.meanPower / tone.meanPower) < -50)
    }

    @Test func logarithmIsAccurate() {
        var worst: Float = 0
        for step in 0..<20_000 {
            let value = Float(pow(10, -12 + 24 * Double(step) / 20_000))
            worst = max(worst, abs(BinaryLogarithm.log2(SIMD8(repeating: value))[3] - Foundation.log2(value)))
        }
        #expect(worst < 3e-5)
    }
}
