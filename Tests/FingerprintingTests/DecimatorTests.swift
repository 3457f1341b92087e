import AudioCore
import AudioIO
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// The engine's decimation, compared with libsamplerate and between block sizes.
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
        // Within the passband of both filters.
        let top = min(2600.0, 0.3 * Double(rate))
        let audio = TestSignals.bandNoise(seed: 5, band: 100...top, seconds: 1, sampleRate: rate)
        let ours = decimate(audio)
        let theirs = try Resampler.resample(audio, to: 8000).samples
        #expect(abs(ours.count - theirs.count) <= 1)
        // The ends differ, as the filters treat the silence around the signal differently.
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

    private func toneLevel(_ frequency: Double, rate: Int) -> Double {
        let tone = TestSignals.sine(frequency: frequency, seconds: 0.25, sampleRate: rate)
        let output = AudioBuffer(samples: Array(decimate(tone)[200..<1800]), sampleRate: 8000)
        return Decibels.fromPowerRatio(output.meanPower / tone.meanPower)
    }

    // Beyond the sinc's transition band every tone aliases into the analysed band, or a half-band stage removes it.
    @Test(arguments: [16_000, 22_050, 31_999, 32_000, 44_100, 48_000, 96_000, 192_000, 384_000])
    func keepsOutWhatWouldFold(rate: Int) {
        let half = 0.499 * Double(rate)
        var worst = -Double.infinity
        for step in 0..<25 {
            worst = max(worst, toneLevel(5500 + (half - 5500) * Double(step) / 24, rate: rate))
        }
        #expect(worst < -50)
    }

    // Where a half-band stage aliases into the band, only its own rejection of at least 75 dB helps.
    @Test(arguments: [32_000, 44_100, 48_000, 96_000, 192_000, 384_000])
    func halvingKeepsTheBandClean(rate: Int) {
        var halved = Double(rate)
        while halved >= 32_000 {
            halved /= 2
            for image in [1000.0, 2000, 3000] where 2 * halved - image < 0.5 * Double(rate) {
                #expect(toneLevel(2 * halved - image, rate: rate) < -75, "\(rate) Hz, \(image) Hz")
            }
            let folded = 2 * halved - 2500
            if folded < 0.5 * Double(rate) { #expect(toneLevel(folded, rate: rate) < -75) }
        }
    }

    @Test(arguments: [22_050, 44_100, 48_000, 96_000, 192_000, 768_000])
    func passesTheBandEvenly(rate: Int) {
        for frequency in stride(from: 200.0, through: 2600, by: 400) {
            #expect(abs(toneLevel(frequency, rate: rate)) < 0.03, "\(frequency) Hz at \(rate) Hz")
        }
    }

    // The delay relative to libsamplerate, by the phase difference at one frequency.
    @Test(arguments: [6000, 11_025, 44_100, 44_101, 48_000, 96_000, 192_000, 767_999])
    func hasNoDelay(rate: Int) throws {
        let frequency = 1237.0
        let tone = TestSignals.sine(frequency: frequency, seconds: 0.5, sampleRate: rate)
        let ours = decimate(tone)
        let theirs = try Resampler.resample(tone, to: 8000).samples
        func phase(_ samples: [Float]) -> Double {
            var (real, imaginary) = (0.0, 0.0)
            for index in 400..<3600 {
                let angle = 2 * Double.pi * frequency * Double(index) / 8000
                real += Double(samples[index]) * cos(angle)
                imaginary += Double(samples[index]) * sin(angle)
            }
            return atan2(imaginary, real)
        }
        let seconds = (phase(ours) - phase(theirs)) / (2 * .pi * frequency)
        #expect(abs(seconds) < 1e-7)
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
