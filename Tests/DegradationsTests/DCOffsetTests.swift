import AudioCore
import Degradations
import TestSupport
import Testing

@Test("Only the mean changes, by the amount")
func offset() throws {
    let source = Tune().recording(seconds: 1, sampleRate: 8000, channelCount: 2)
    var clip = Clip(source)
    try DCOffset(amount: -0.125).apply(to: &clip, material: NoMaterial())
    #expect(zip(clip.audio.samples, source.samples).allSatisfy { abs($0 - ($1 - 0.125)) < 1e-6 })
    #expect(abs(clip.audio.meanPowerAC / source.meanPowerAC - 1) < 1e-4)
}

@Test("An offset beyond full scale is scaled, not clipped")
func largeOffset() throws {
    let source = Tune().recording(seconds: 0.5, sampleRate: 8000)
    var clip = Clip(source)
    try DCOffset(amount: 1).apply(to: &clip, material: NoMaterial())
    #expect(abs(clip.audio.peak - 1) < 1e-6)
    #expect(Set(clip.audio.samples).count > 1000)
}
