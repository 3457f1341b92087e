import AudioCore
import Degradations
import SignalProcessing
import TestSupport
import Testing

private let rates = [
    8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 37_800, 44_100, 48_000, 88_200, 96_000, 176_400,
    192_000,
]

@Test("At every rate the query is within a sample of the truth", arguments: [16_000, 44_100], rates)
func resampledTruth(from: Int, to: Int) throws {
    let tune = Tune(voiceCount: 6)
    var clip = Clip(tune.recording(seconds: 2, sampleRate: from), startSeconds: 0)
    clip.signalFrames = (from / 2)..<(from * 3 / 2)
    try Resample(sampleRateHertz: to).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.sampleRate == to && clip.audio.frameCount == 2 * to)
    #expect(clip.signalFrames == ((to + 1) / 2)..<((to * 3 + 1) / 2))
    let expected = tune.rendered(through: clip)
    let lag = CrossCorrelation.bestLag(of: clip.audio.samples, in: expected, maxLag: to / 20)
    #expect(abs(lag.lag) < 0.05, "\(lag.lag) samples at \(to) Hz")
    #expect(lag.coefficient > 0.999)
    #expect(residualDecibels(clip.audio.samples, expected, in: (to / 10)..<(2 * to - to / 10)) < -60)
}

@Test("The same rate is bit-identical")
func sameRate() throws {
    var clip = Clip(Tune().recording(seconds: 1, sampleRate: 22_050, channelCount: 2))
    let before = clip.audio
    try Resample(sampleRateHertz: 22_050).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio == before)
}
