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

/// The errors of single-sample clicks mapped to reference time, in seconds, from their centres of energy.
func clickErrors(_ degradations: [any Degradation], sampleRate: Int) throws -> [Double] {
    var generator = SeededGenerator(seed: 77, "clicks")
    var seconds = 0.4
    let frames = (0..<24).map { _ -> Int in
        seconds += generator.uniform(in: 0.2...0.32)
        return Int(seconds * Double(sampleRate))
    }
    var samples = [Float](repeating: 0, count: Int((seconds + 0.6) * Double(sampleRate)))
    for frame in frames { samples[frame] = 0.9 }
    var clip = Clip(AudioBuffer(samples: samples, sampleRate: sampleRate))
    for degradation in degradations { try degradation.apply(to: &clip, material: NoMaterial()) }
    let rate = Double(sampleRate)
    return frames.map { frame in
        let expected = clip.timeMap.inverse(Double(frame) / rate)
        let window = Int((expected - 0.015) * rate)...Int((expected + 0.015) * rate)
        let energies = window.map { Double(clip.audio.samples[$0]) * Double(clip.audio.samples[$0]) }
        let moment = zip(window, energies).reduce(0.0) { $0 + Double($1.0) * $1.1 }
        return clip.timeMap(moment / energies.reduce(0, +) / rate) - Double(frame) / rate
    }
}

/// The ratio of the strongest frequency of a steady tone after to before.
func frequencyRatio(_ degradation: any Degradation) throws -> (measured: Double, truth: Double) {
    var clip = Clip(TestSignals.sine(frequency: 1000, seconds: 6, sampleRate: 16_000))
    try degradation.apply(to: &clip, material: NoMaterial())
    let measured = strongestFrequency(of: Array(clip.audio.samples[8000...]), sampleRate: 16_000) / 1000
    return (measured, slope({ clip.frequencyMap($0) }, at: 2))
}
