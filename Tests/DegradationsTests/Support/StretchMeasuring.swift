import AudioCore
import Degradations
import TestSupport
import Testing

let onsets = [0.5, 1.1, 1.9, 2.6, 3.5, 4.3]

/// The errors of query onsets mapped to reference time, in seconds.
func onsetErrors(_ degradation: any Degradation, sampleRate: Int) throws -> [Double] {
    var clip = Clip(TestSignals.clicksAndTones(onsetSeconds: onsets, seconds: 5, sampleRate: sampleRate))
    let before = TestSignals.onsets(in: clip.audio, threshold: 0.25)
    try degradation.apply(to: &clip, material: NoMaterial())
    let after = TestSignals.onsets(in: clip.audio, threshold: 0.25)
    try #require(before.count == onsets.count && after.count == onsets.count)
    return zip(before, after).map { clip.timeMap($1) - $0 }
}

/// The ratio of the strongest frequency of a steady tone after to before.
func frequencyRatio(_ degradation: any Degradation) throws -> (measured: Double, truth: Double) {
    var clip = Clip(TestSignals.sine(frequency: 1000, seconds: 6, sampleRate: 16_000))
    try degradation.apply(to: &clip, material: NoMaterial())
    let measured = strongestFrequency(of: Array(clip.audio.samples[8000...]), sampleRate: 16_000) / 1000
    return (measured, slope({ clip.frequencyMap($0) }, at: 2))
}
