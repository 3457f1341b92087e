import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

@Test("Gaps have the length and rate, all channels are silent, and the rest is bit-identical")
func gaps() throws {
    let source = TestSignals.noise(seed: 1, seconds: 100, sampleRate: 8000, channelCount: 2)
    var clip = Clip(source)
    try Dropout(ratePerSecond: 2, durationSeconds: 0.05, seed: 7).apply(to: &clip, material: NoMaterial())
    let wet = (clip.audio.channel(0), clip.audio.channel(1))
    var gaps = 0
    var silent = 0
    var run = 0
    for frame in 0..<source.frameCount {
        if wet.0[frame] == 0, wet.1[frame] == 0 {
            run += 1
            silent += 1
            continue
        }
        // Overlapping gaps are longer, and the start of the clip may cut one.
        if run > 0, frame - run > 0 { #expect(run >= 400) }
        if run >= 400 { gaps += 1 }
        run = 0
        #expect(wet.0[frame] == source.samples[frame])
        #expect(wet.1[frame] == source.samples[source.frameCount + frame])
    }
    let fraction = Double(silent) / Double(source.frameCount)
    #expect(abs(try #require(clip.measurements["droppedFraction"]) - fraction) < 1e-4)
    // Gaps of length d at rate r leave exp(−r·d) of the time, within a few percent over 100 s.
    #expect(abs(fraction - (1 - exp(-0.1))) < 0.025)
    #expect((140...220).contains(gaps))
}

@Test("Another seed has other gaps")
func otherGaps() throws {
    let source = TestSignals.noise(seed: 1, seconds: 4, sampleRate: 8000)
    let all = try ([1, 2] as [UInt64]).map { seed in
        var clip = Clip(source)
        try Dropout(ratePerSecond: 3, durationSeconds: 0.1, seed: seed).apply(
            to: &clip, material: NoMaterial())
        return clip.audio
    }
    #expect(all[0] != all[1])
}
