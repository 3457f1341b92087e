import AudioCore
import Degradations
import TestSupport
import Testing

@Test(
    "Power changes by the decibels asked for, beyond full scale too",
    arguments: [-60, -6, 0, 6.5, 40] as [Double])
func gain(decibels: Double) throws {
    var clip = Clip(Tune().recording(seconds: 1, sampleRate: 8000, channelCount: 2))
    let before = clip.audio
    try Gain(decibels: decibels).apply(to: &clip, material: NoMaterial())
    let change = Decibels.fromPowerRatio(clip.audio.meanPower / before.meanPower)
    #expect(abs(change - decibels) < 1e-4)
    #expect(abs(Double(clip.audio.peak / before.peak) - Decibels.amplitudeRatio(decibels)) < 1e-5 * 100)
}
