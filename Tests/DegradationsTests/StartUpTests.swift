import AudioCore
import Degradations
import Foundation
import Testing

private let rate = 10_000
private let steady = AudioBuffer(
    samples: (0..<rate).map { $0.isMultiple(of: 2) ? 0.1 : -0.1 }, sampleRate: rate)

@Test("Zeros, then a fade, then the query as it was, at its place")
func startUpFade() throws {
    var clip = Clip(steady, startSeconds: 3)
    try StartUp(silentSeconds: 0.1, fadeSeconds: 0.2).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.samples[..<1000].allSatisfy { $0 == 0 })
    #expect(abs(clip.audio.samples[2000] - 0.05) < 1e-6)
    #expect(clip.audio.samples[3000...] == steady.samples[3000...])
    #expect(clip.timeMap(0) == 3 && clip.audio.frameCount == rate)
}

@Test("A thump begins after the zeros and falls to 1/e in 5 ms")
func startUpThump() throws {
    var clip = Clip(steady)
    try StartUp(silentSeconds: 0.1, thumpDecibels: 14).apply(to: &clip, material: NoMaterial())
    func thump(_ frame: Int) -> Double { Double(clip.audio.samples[frame] - steady.samples[frame]) }
    #expect(clip.audio.samples[999] == 0)
    #expect(abs(thump(1000) - 0.1 * pow(10, 0.7)) < 1e-3)
    #expect(abs(thump(1050) / thump(1000) - exp(-1)) < 1e-3)
}
