import AudioCore
import Degradations
import Foundation
import Testing

private let rate = 8000

/// A square wave, whose power is constant, that is 20 dB louder in its second half.
private func step(secondsEach: Int) -> AudioBuffer {
    AudioBuffer(
        samples: (0..<(2 * secondsEach * rate)).map { frame in
            let level: Float = frame < secondsEach * rate ? 0.01 : 0.1
            return frame.isMultiple(of: 2) ? level : -level
        }, sampleRate: rate)
}

@Test("Loud and soft parts end at the target", arguments: [-40, -26] as [Double])
func automaticGainTarget(target: Double) throws {
    var clip = Clip(step(secondsEach: 4))
    try AutomaticGain(targetDecibels: target, attackSeconds: 0.1, releaseSeconds: 0.5)
        .apply(to: &clip, material: NoMaterial())
    for frame in [4 * rate - 1, 8 * rate - 1] {
        #expect(abs(20 * log10(Double(abs(clip.audio.samples[frame]))) - target) < 0.2)
    }
}

@Test("The gain follows with its time constants")
func automaticGainTimes() throws {
    let audio = step(secondsEach: 4)
    var clip = Clip(audio)
    try AutomaticGain(targetDecibels: -40, attackSeconds: 0.2, releaseSeconds: 0.5)
        .apply(to: &clip, material: NoMaterial())
    func average(_ frame: Int) -> Double {
        pow(10, -4) * pow(Double(audio.samples[frame] / clip.audio.samples[frame]), 2)
    }
    let mean = (1e-4 + 1e-2) / 2
    // At the start the gain is that of the mean, and rises while the soft part lasts.
    #expect(abs(average(0) / mean - 1) < 0.01)
    #expect(abs((average(rate / 2) - 1e-4) / (mean - 1e-4) - exp(-1)) < 0.01)
    // 0.2 s into the loud part the power is 1 − 1/e of the way up.
    #expect(abs((average(4 * rate + rate / 5) - 1e-4) / (1e-2 - 1e-4) - (1 - exp(-1))) < 0.01)
}

@Test("Silence stays silent")
func automaticGainOfSilence() throws {
    var clip = Clip(AudioBuffer(samples: [Float](repeating: 0, count: 100), sampleRate: rate))
    try AutomaticGain(targetDecibels: -20).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.samples.allSatisfy { $0 == 0 })
}
