import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

@Test(
    "Frames sound what the map says, and the map swings as asked",
    arguments: [(1, 0.5, 0), (0.3, 6, 0.7), (3, 2, 0.25)] as [(Double, Double, Double)])
func wowTruth(depthPercent: Double, rateHertz: Double, phaseTurns: Double) throws {
    let tune = Tune()
    let wow = Wow(depthPercent: depthPercent, rateHertz: rateHertz, phaseTurns: phaseTurns)
    let clip = try DegradationChain(steps: [AnyDegradation(wow)]).render(
        source: tune.recording(seconds: 8, sampleRate: 16_000), startSeconds: 2, lengthSeconds: 4,
        material: NoMaterial())
    #expect(clip.audio.frameCount == 64_000)
    for index in 1..<40 {
        let time = Double(index) / 10
        let speed = 1 + depthPercent / 100 * sin(2 * .pi * (rateHertz * time + phaseTurns))
        let map = { clip.timeMap($0) }
        #expect(abs((map(time + 0.005) - map(time - 0.005)) / 0.01 - speed) < 2e-4)
        let pitch = { clip.frequencyMap($0) }
        #expect(abs((pitch(time + 0.005) - pitch(time - 0.005)) / 0.01 - speed) < 2e-4)
    }
    let expected = tune.rendered(through: clip)
    #expect(residualDecibels(clip.audio.samples, expected, in: 0..<64_000) < -60)
}

@Test("A tone has sidebands at the distance and with the strength of frequency modulation")
func wowSpectrum() throws {
    // The modulation index is 1000 Hz · 0.1 % / 2 Hz = 0.5, and J1(0.5)/J0(0.5) = 0.2581.
    let wow = Wow(depthPercent: 0.1, rateHertz: 2, phaseTurns: 0)
    let clip = try DegradationChain(steps: [AnyDegradation(wow)]).render(
        source: TestSignals.sine(frequency: 1000, seconds: 12, sampleRate: 8000), startSeconds: 2,
        lengthSeconds: 8, material: NoMaterial())
    let carrier = amplitude(of: 1000, in: clip.audio.samples[...], sampleRate: 8000)
    for side in [998.0, 1002] {
        let found = amplitude(of: side, in: clip.audio.samples[...], sampleRate: 8000)
        #expect(abs(found / carrier - 0.2581) < 0.002)
    }
}
