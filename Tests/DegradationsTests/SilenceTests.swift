import AudioCore
import Degradations
import TestSupport
import Testing

@Test("Silence is before and after, the sound is bit-identical and the time map is extrapolated")
func silenceAtTheEnds() throws {
    let source = Tune().recording(seconds: 1, sampleRate: 8000, channelCount: 2)
    var clip = Clip(source, startSeconds: 30)
    try Speed(percent: 4).apply(to: &clip, material: NoMaterial())
    let before = clip
    try Silence(leadingSeconds: 0.5, trailingSeconds: 0.25).apply(to: &clip, material: NoMaterial())
    let count = before.audio.frameCount
    #expect(clip.audio.frameCount == count + 6000)
    #expect(clip.signalFrames == 4000..<(4000 + count))
    #expect(clip.audio.frames(clip.signalFrames) == before.audio)
    #expect(clip.audio.frames(0..<4000).peak == 0)
    #expect(clip.audio.frames((4000 + count)..<(6000 + count)).peak == 0)
    #expect(abs(clip.timeMap(0) - (30 - 0.52)) < 1e-12)
    for time in [0.0, 0.3, 0.9] { #expect(abs(clip.timeMap(time + 0.5) - before.timeMap(time)) < 1e-12) }
}
