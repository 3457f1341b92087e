import AudioCore
import Degradations
import TestSupport
import Testing

@Test(
    "Speed goes from one value to the other over the query, and frames sound what the map says",
    arguments: [(0, 2), (-3, 3), (5, 5), (1, -1)] as [(Double, Double)])
func driftTruth(from: Double, to: Double) throws {
    let tune = Tune()
    let chain = DegradationChain(steps: [AnyDegradation(Drift(fromPercent: from, toPercent: to))])
    let clip = try chain.render(
        source: tune.recording(seconds: 9, sampleRate: 16_000), startSeconds: 2, lengthSeconds: 4,
        material: NoMaterial())
    #expect(clip.audio.frameCount == 64_000)
    #expect(abs(slope({ clip.timeMap($0) }, at: 0.01) - (1 + from / 100)) < 2e-4)
    #expect(abs(slope({ clip.timeMap($0) }, at: 3.99) - (1 + to / 100)) < 2e-4)
    let fit = clip.timeMap.leastSquares(over: 0...4)
    #expect(abs(fit.slope - (1 + (from + to) / 200)) < 1e-5)
    #expect(abs(fit.slopeChangePerSecond - (to - from) / 100 / 4) < 1e-5)
    let pitch = clip.frequencyMap.leastSquares(over: 0...4)
    #expect(abs(pitch.slope - fit.slope) < 1e-9)
    let expected = tune.rendered(through: clip)
    #expect(residualDecibels(clip.audio.samples, expected, in: 0..<64_000) < -60)
}

@Test("The frequency of a tone follows the frequency map")
func driftingTone() throws {
    let chain = DegradationChain(steps: [AnyDegradation(Drift(fromPercent: -10, toPercent: 10))])
    let clip = try chain.render(
        source: TestSignals.sine(frequency: 1000, seconds: 40, sampleRate: 16_000), startSeconds: 3,
        lengthSeconds: 30, material: NoMaterial())
    for second in [5.0, 14, 23] {
        // Around the middle the change is linear, so the mean is the frequency at the middle.
        let first = Int((second - 2) * 16_000)
        let part = Array(clip.audio.samples[first..<(first + 64_000)])
        let found = strongestFrequency(of: part, sampleRate: 16_000)
        #expect(abs(found - 1000 * slope({ clip.frequencyMap($0) }, at: second)) < 3)
    }
}
