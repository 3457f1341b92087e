import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

private let compression = Compression(
    thresholdDecibels: -20, ratio: 4, attackSeconds: 0.005, releaseSeconds: 0.2)

@Test(
    "A steady level above the threshold rises by a quarter only; below it stays",
    arguments: [-40, -21, -8, 0] as [Double])
func steadyLevel(decibels: Double) throws {
    // The level of a square wave is constant, so the detector measures it exactly.
    let level = Float(Decibels.amplitudeRatio(decibels))
    var clip = Clip(
        AudioBuffer(
            samples: (0..<16_000).map { ($0 / 8).isMultiple(of: 2) ? level : -level }, sampleRate: 8000))
    try compression.apply(to: &clip, material: NoMaterial())
    let settled = 20 * log10(Double(abs(clip.audio.samples[15_999])))
    #expect(abs(settled - (decibels > -20 ? -20 + (decibels + 20) / 4 : decibels)) < 0.05)
}

@Test("The gain falls and rises with its time constants")
func attackAndRelease() throws {
    let rate = 16_000
    let samples = (0..<(3 * rate)).map { frame -> Float in
        let level: Float = (rate..<(2 * rate)).contains(frame) ? 1 : 0.01
        return frame.isMultiple(of: 2) ? level : -level
    }
    var clip = Clip(AudioBuffer(samples: samples, sampleRate: rate))
    try compression.apply(to: &clip, material: NoMaterial())
    func reduction(_ seconds: Double) -> Double {
        let frame = Int(seconds * Double(rate))
        return 20 * log10(Double(samples[frame] / clip.audio.samples[frame]))
    }
    #expect(abs(reduction(0.9)) < 1e-3)
    #expect(abs(reduction(1.005) - 15 * (1 - exp(-1))) < 0.2)
    #expect(abs(reduction(1.9) - 15) < 0.01)
    #expect(abs(reduction(2.2) - 15 * exp(-1)) < 0.3)
}

@Test("All channels have the same gain")
func linkedChannels() throws {
    let loud = TestSignals.noise(seed: 1, amplitude: 0.9, seconds: 0.5, sampleRate: 8000).samples
    let quiet = TestSignals.noise(seed: 2, amplitude: 0.05, seconds: 0.5, sampleRate: 8000).samples
    var clip = Clip(AudioBuffer(samples: loud + quiet, sampleRate: 8000, channelCount: 2))
    try compression.apply(to: &clip, material: NoMaterial())
    for frame in stride(from: 1000, to: 4000, by: 7) where loud[frame] != 0 && quiet[frame] != 0 {
        let first = clip.audio.samples[frame] / loud[frame]
        let second = clip.audio.samples[4000 + frame] / quiet[frame]
        #expect(first < 0.9 && abs(first - second) < 1e-3)
    }
}
