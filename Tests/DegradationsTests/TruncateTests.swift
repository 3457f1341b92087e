import AudioCore
import Degradations
import TestSupport
import Testing

@Test("Truncation keeps the beginning and its truth")
func truncated() throws {
    let source = Tune().recording(seconds: 2, sampleRate: 8000)
    var clip = Clip(source, startSeconds: 7)
    try Silence(leadingSeconds: 0.1).apply(to: &clip, material: NoMaterial())
    try Truncate(keepSeconds: 0.5).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.frameCount == 4000)
    #expect(clip.signalFrames == 800..<4000)
    #expect(clip.audio.frames(800..<4000) == source.frames(0..<3200))
    #expect(abs(clip.timeMap(0.1) - 7) < 1e-12)
    let before = clip
    try Truncate(keepSeconds: 9).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio == before.audio && clip.signalFrames == before.signalFrames)
}
