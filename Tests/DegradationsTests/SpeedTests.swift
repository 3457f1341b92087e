import AudioCore
import Degradations
import TestSupport
import Testing

@Test("The ratio is an exact, reduced fraction")
func exactRatio() {
    #expect(Speed(percent: 5) == Speed(numerator: 21, denominator: 20))
    #expect(Speed(percent: -3.7) == Speed(numerator: 963, denominator: 1000))
    #expect(Speed(percent: 0.0001) == Speed(numerator: 1_000_001, denominator: 1_000_000))
    #expect(Speed(numerator: 44_100, denominator: 48_000).numerator == 147)
    #expect(Speed(percent: 5).skew == 0.05)
}

@Test(
    "Query frames sound what the exact map says",
    arguments: [-50, -5, -0.1, 0.1, 2.5, 5, 20, 100] as [Double])
func speedTruth(percent: Double) throws {
    let tune = Tune()
    var clip = Clip(tune.recording(seconds: 4, sampleRate: 16_000), startSeconds: 0)
    let speed = Speed(percent: percent)
    try speed.apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.frameCount == Int((64_000 / speed.ratio).rounded()))
    #expect(abs(clip.timeMap(2) - 2 * speed.ratio) < 1e-12)
    #expect(abs(slope({ clip.frequencyMap($0) }, at: 1) - speed.ratio) < 1e-9)
    #expect(speed.sourceSecondsPerSecond == speed.ratio)
    let expected = tune.rendered(through: clip)
    #expect(residualDecibels(clip.audio.samples, expected, in: 200..<(expected.count - 200)) < -60)
}

@Test("A tone's frequency is multiplied by the exact ratio", arguments: [-5, -0.1, 1, 5] as [Double])
func speedFrequency(percent: Double) throws {
    var clip = Clip(TestSignals.sine(frequency: 1000, seconds: 6, sampleRate: 16_000))
    try Speed(percent: percent).apply(to: &clip, material: NoMaterial())
    let found = strongestFrequency(of: clip.audio.samples, sampleRate: 16_000)
    #expect(abs(found - 1000 * (1 + percent / 100)) < 0.005)
}
