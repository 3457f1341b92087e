import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test("Before the fade the query stays, after it only the other music is left, of the same power")
func fades() throws {
    let rate = 16_000
    let music = TestSignals.noise(seed: 1, amplitude: 0.1, seconds: 6, sampleRate: rate, channelCount: 2)
    var clip = Clip(music)
    try Crossfade(startFraction: 1.0 / 3, fadeSeconds: 1, seed: 2).apply(
        to: &clip, material: FormulaMaterial())
    #expect(clip.audio.frames(0..<2 * rate) == music.frames(0..<2 * rate))
    let after = clip.audio.frames(3 * rate..<6 * rate)
    #expect(after.channel(0) == after.channel(1))
    #expect(abs(Decibels.fromPowerRatio(after.meanPower / music.meanPower)) < 0.5)
    let left = zip(after.channel(0), music.frames(3 * rate..<6 * rate).channel(0)).reduce(0.0) {
        $0 + Double($1.0 * $1.1)
    }
    #expect(abs(left / Double(after.frameCount) / music.meanPower) < 0.05)
}
