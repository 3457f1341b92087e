import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test(
    "Without compression the bands add up to the signal, raised by the drive", arguments: [0, 6] as [Double])
func bandsAddUp(drive: Double) throws {
    let audio = TestSignals.noise(seed: 1, amplitude: 0.05, seconds: 2, sampleRate: 44_100, channelCount: 2)
    var clip = Clip(audio)
    try Multiband(ratio: 1, driveDecibels: drive).apply(to: &clip, material: NoMaterial())
    let factor = Float(Decibels.amplitudeRatio(drive))
    let expected = audio.samples.map { factor * $0 }
    #expect(residualDecibels(clip.audio.samples, expected, in: 0..<expected.count) < -100)
    #expect(clip.measurements["limitedDecibels"] == 0)
}

@Test("A loud band is lowered against a quiet one, without delay and without a peak above full scale")
func loudBands() throws {
    let rate = 44_100
    let low = TestSignals.sine(frequency: 60, amplitude: 0.7, seconds: 3, sampleRate: rate).samples
    let high = TestSignals.sine(frequency: 8000, amplitude: 0.02, seconds: 3, sampleRate: rate).samples
    var clip = Clip(AudioBuffer(samples: zip(low, high).map { $0 + $1 }, sampleRate: rate))
    try Multiband(driveDecibels: 12).apply(to: &clip, material: NoMaterial())
    let middle = rate..<2 * rate
    func level(_ frequency: Double) -> Double {
        20 * log10(amplitude(of: frequency, in: clip.audio.samples[middle], sampleRate: rate))
    }
    // 27 dB above the threshold become a quarter; the quiet band is below it.
    #expect(level(60) - level(8000) < 20 * log10(0.7 / 0.02) - 15)
    #expect(clip.audio.peak <= 1)

    var noise = Clip(TestSignals.noise(seed: 3, amplitude: 0.5, seconds: 1, sampleRate: 16_000))
    let before = noise.audio.samples
    try Multiband(driveDecibels: 9).apply(to: &noise, material: NoMaterial())
    #expect(abs(CrossCorrelation.bestLag(of: noise.audio.samples, in: before, maxLag: 200).lag) < 0.05)
}
