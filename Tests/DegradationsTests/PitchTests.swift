import AudioCore
import Degradations
import TestSupport
import Testing

@Test("Pitch keeps onsets within 2 ms", arguments: [-5, -1, 0.5, 5] as [Double], [8000, 22_050, 48_000])
func pitchTruth(percent: Double, sampleRate: Int) throws {
    for error in try onsetErrors(Pitch(percent: percent), sampleRate: sampleRate) {
        #expect(abs(error) < 0.002, "\(error) s")
    }
}

@Test(
    "Pitch keeps clicks within 1 ms, and their median within 0.2 ms",
    arguments: [-5, -4, -3, -2, -1, -0.3, 0.3, 1, 2, 3, 4, 5] as [Double], [11_025, 44_100, 48_000])
func pitchDelay(percent: Double, sampleRate: Int) throws {
    let errors = try clickErrors([Pitch(percent: percent)], sampleRate: sampleRate).sorted()
    #expect(errors.allSatisfy { abs($0) < 0.001 }, "\(errors)")
    #expect(abs(errors[12]) < 0.0002, "\(errors[12])")
}

/// The delay of a stretch is measured on clicks as they are; a stretch before it smears them.
@Test(
    "Pitch and tempo keep the median of clicks within 1.3 ms, and each within 2 ms",
    arguments: [-5, -2, 2, 5] as [Double], [-5, -2, 2, 5] as [Double])
func pitchAndTempoDelay(pitch: Double, tempo: Double) throws {
    let errors = try clickErrors([Tempo(percent: tempo), Pitch(percent: pitch)], sampleRate: 44_100).sorted()
    #expect(errors.allSatisfy { abs($0) < 0.002 }, "\(errors)")
    #expect(abs(errors[12]) < 0.0013, "\(errors[12])")
}

@Test("Pitch moves frequencies by its ratio within 0.02 %", arguments: [-5, 0.5, 5] as [Double])
func pitchFrequency(percent: Double) throws {
    let pitch = Pitch(percent: percent)
    let ratio = try frequencyRatio(pitch)
    #expect(abs(ratio.truth - (1 + percent / 100)) < 1e-9)
    #expect(abs(ratio.measured - ratio.truth) < 0.0002 * ratio.truth, "\(ratio.measured)")
    #expect(pitch.sourceSecondsPerSecond == 1)
}

@Test("A rate that cannot be stretched is an error", arguments: [500, 400_000])
func stretchedRate(sampleRate: Int) {
    for degradation in [Pitch(percent: 2) as any Degradation, Tempo(percent: 2)] {
        var clip = Clip(TestSignals.sine(frequency: 20, seconds: 0.1, sampleRate: sampleRate))
        #expect(throws: DegradationError.self) { try degradation.apply(to: &clip, material: NoMaterial()) }
    }
}
