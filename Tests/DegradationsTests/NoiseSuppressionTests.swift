import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test("Steady noise is lowered by what is asked, at most", arguments: [6, 15, 30])
func suppressesNoise(decibels: Int) throws {
    var clip = Clip(TestSignals.noise(seed: 3, amplitude: 0.05, seconds: 6, sampleRate: 16_000))
    try NoiseSuppression(suppressionDecibels: decibels).apply(to: &clip, material: NoMaterial())
    // After two seconds the noise is known.
    let end = clip.audio.frames(32_000..<80_000)
    let before = TestSignals.noise(seed: 3, amplitude: 0.05, seconds: 6, sampleRate: 16_000).meanPower
    let change = 10 * log10(end.meanPower / before)
    #expect(change < -0.7 * Double(decibels) && change > -Double(decibels) - 3, "\(change) dB")
}

@Test("Music keeps its place, at every rate", arguments: [8000, 11_025, 16_000, 44_100, 48_000, 96_000])
func suppressionKeepsTheTruth(rate: Int) throws {
    let tune = Tune(seed: 9, voiceCount: 6, highest: 2500)
    var clip = Clip(tune.recording(seconds: 2, sampleRate: rate, channelCount: 2))
    try NoiseSuppression().apply(to: &clip, material: NoMaterial())
    let found = CrossCorrelation.bestLag(
        of: clip.audio.channel(0), in: tune.rendered(through: clip), maxLag: clip.audio.sampleRate / 20)
    #expect(abs(1000 * found.lag / Double(clip.audio.sampleRate)) < 0.1, "\(found.lag) samples")
    #expect(found.coefficient > 0.8, "\(found.coefficient)")
    #expect(clip.audio.sampleRate == min(rate, 48_000) && clip.audio.channelCount == 2)
    #expect(clip.audio.durationSeconds >= 2)
}
