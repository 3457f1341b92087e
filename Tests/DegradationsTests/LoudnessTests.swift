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

@Test("Silence stays silence")
func loudnessOfSilence() throws {
    var clip = Clip(AudioBuffer(samples: [Float](repeating: 0, count: 8000), sampleRate: 8000))
    try Loudness(targetLUFS: -14).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.peak == 0)
}
