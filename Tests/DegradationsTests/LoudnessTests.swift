import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

/// Signals 1 and 3 of EBU Tech 3341, shorter: a tone, and a tone between quieter ones, which the gate leaves out.
@Test(arguments: [[(-23, 6)], [(-36, 6), (-23, 30), (-36, 6)]] as [[(decibels: Double, seconds: Double)]])
func loudnessIsThatOfTheStandard(parts: [(decibels: Double, seconds: Double)]) throws {
    let tone = parts.flatMap { part in
        TestSignals.sine(
            frequency: 1000, amplitude: Decibels.amplitudeRatio(part.decibels), seconds: part.seconds,
            sampleRate: 16_000
        ).samples
    }
    let audio = AudioBuffer(samples: tone + tone, sampleRate: 16_000, channelCount: 2)
    #expect(abs(try #require(Loudness.lufs(of: audio)) + 23) < 0.1)
}

@Test("The target is reached at any rate while nothing is limited", arguments: [8000, 44_100, 96_000])
func targetOfLoudness(sampleRate: Int) throws {
    var clip = Clip(
        TestSignals.noise(seed: 1, amplitude: 0.5, seconds: 3, sampleRate: sampleRate, channelCount: 2))
    try Loudness(targetLUFS: -30).apply(to: &clip, material: NoMaterial())
    #expect(abs(try #require(clip.measurements["loudnessLUFS"]) + 30) < 0.01)
    #expect(clip.measurements["limitedDecibels"] == 0)
}

@Test("No peak passes the limiter, and nothing moves", arguments: [-6, -1] as [Double])
func ceilingOfLoudness(ceiling: Double) throws {
    var clip = Clip(TestSignals.noise(seed: 2, amplitude: 0.5, seconds: 2, sampleRate: 44_100))
    let before = clip.audio.samples
    try Loudness(targetLUFS: 0, ceilingDecibels: ceiling).apply(to: &clip, material: NoMaterial())
    #expect(Double(clip.audio.peak) <= Decibels.amplitudeRatio(ceiling) * (1 + 1e-6))
    #expect(try #require(clip.measurements["limitedDecibels"]) > 1)
    #expect(abs(CrossCorrelation.bestLag(of: clip.audio.samples, in: before, maxLag: 200).lag) < 0.05)
}

/// The samples of this tone are 3 dB below its peaks.
@Test func peaksBetweenSamplesAreLimited() throws {
    let samples = (0..<44_100).map { Float(0.9 * sin(Double.pi * (Double($0) / 2 + 0.25))) }
    var clip = Clip(AudioBuffer(samples: samples, sampleRate: 44_100))
    try Loudness(targetLUFS: 0).apply(to: &clip, material: NoMaterial())
    let peak = clip.audio.samples[10_000..<34_000].map(abs).max() ?? 0
    #expect(abs(20 * log10(Double(peak)) + 3.01 + 1) < 0.1)
}

/// At sixteen times the rate, by a longer interpolation.
@Test func noPeakBetweenSamplesPasses() throws {
    let white = TestSignals.noise(seed: 3, amplitude: 0.5, seconds: 0.5, sampleRate: 8000).samples
    let soft = zip(white, white.dropFirst()).map { ($0 + $1) / 2 }
    var clip = Clip(AudioBuffer(samples: soft, sampleRate: 8000))
    try Loudness(targetLUFS: -4).apply(to: &clip, material: NoMaterial())
    let (limited, reach) = (clip.audio.samples, 32)
    var peak = 0.0
    for step in 1..<16 {
        let kernel = (1 - reach...reach).map { tap -> Double in
            let distance = Double.pi * (Double(tap) - Double(step) / 16)
            return sin(distance) / distance * pow(cos(distance / 2 / Double(reach)), 2)
        }
        for frame in reach..<limited.count - reach {
            let sum = kernel.indices.reduce(0) { $0 + kernel[$1] * Double(limited[frame + 1 - reach + $1]) }
            peak = max(peak, abs(sum))
        }
    }
    // A meter at four times the rate may miss a few tenths of a decibel.
    #expect(20 * log10(peak) < -0.8, "\(20 * log10(peak))")
}

@Test("Silence stays silence")
func loudnessOfSilence() throws {
    var clip = Clip(AudioBuffer(samples: [Float](repeating: 0, count: 8000), sampleRate: 8000))
    try Loudness(targetLUFS: -14).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.peak == 0)
}
