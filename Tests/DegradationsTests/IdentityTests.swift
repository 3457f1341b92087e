import AudioCore
import Degradations
import Testing

@Test("Every clip stays bit-identical", arguments: [1, 2, 6])
func identity(channelCount: Int) throws {
    var samples: [Float] = [0, -0, 1, -1, 3.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    samples += samples.reversed() + samples + samples
    var clip = Clip(
        AudioBuffer(
            samples: (0..<channelCount).flatMap { _ in samples }, sampleRate: 44_100,
            channelCount: channelCount),
        startSeconds: 12)
    clip.measurements["snrDecibels"] = 3
    let before = clip
    try Identity().apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.samples.map(\.bitPattern) == before.audio.samples.map(\.bitPattern))
    #expect(clip.timeMap == before.timeMap && clip.frequencyMap == before.frequencyMap)
    #expect(clip.measurements == before.measurements && clip.signalFrames == before.signalFrames)
}
