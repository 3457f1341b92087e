import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

@Test("The overdrive determines the clipped share of a sine", arguments: [3, 6, 20] as [Double])
func clippedSine(overdriveDecibels: Double) throws {
    var clip = Clip(TestSignals.sine(frequency: 100, amplitude: 0.5, seconds: 4, sampleRate: 44_100))
    let before = clip.audio
    try Clipping(overdriveDecibels: overdriveDecibels).apply(to: &clip, material: NoMaterial())
    #expect(abs(clip.audio.peak - before.peak) < 1e-6)
    // |sin| is above 1/g for a share 1 − 2/π·asin(1/g) of the time.
    let gain = Decibels.amplitudeRatio(overdriveDecibels)
    let share = 1 - 2 / Double.pi * asin(1 / gain)
    #expect(abs(try #require(clip.measurements["clippedFraction"]) - share) < 0.005)
    for (wet, dry) in zip(clip.audio.samples, before.samples) where abs(dry) * Float(gain) < 0.499 {
        #expect(abs(wet - dry * Float(gain)) < 1e-6)
    }
}

@Test("Without overdrive nothing is clipped")
func noOverdrive() throws {
    var clip = Clip(Tune().recording(seconds: 0.5, sampleRate: 8000))
    let before = clip.audio
    try Clipping(overdriveDecibels: 0).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio == before)
    #expect(clip.measurements["clippedFraction"] == 0)
}
