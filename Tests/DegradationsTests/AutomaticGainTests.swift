import AudioCore
import Degradations
import Foundation
import TestSupport
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

@Test("The level of music is the target, whatever the times", arguments: [-40, -26] as [Double], [0.02, 1])
func automaticGainTarget(target: Double, attackSeconds: Double) throws {
    var clip = Clip(Tune().recording(seconds: 4, sampleRate: rate, channelCount: 2))
    try AutomaticGain(targetDecibels: target, attackSeconds: attackSeconds, releaseSeconds: 0.5)
        .apply(to: &clip, material: NoMaterial())
    #expect(abs(10 * log10(clip.audio.meanPower) - target) < 0.001)
    #expect(abs(try #require(clip.measurements["levelDecibels"]) - target) < 0.001)
}

@Test("Loud and soft parts end at the same level")
func automaticGainOfSteps() throws {
    var clip = Clip(step(secondsEach: 4))
    try AutomaticGain(targetDecibels: -30, attackSeconds: 0.1, releaseSeconds: 0.5)
        .apply(to: &clip, material: NoMaterial())
    let ends = [4 * rate - 1, 8 * rate - 1].map { Double(abs(clip.audio.samples[$0])) }
    #expect(abs(20 * log10(ends[0] / ends[1])) < 0.2)
}

@Test("The gain follows with its time constants")
func automaticGainTimes() throws {
    let audio = step(secondsEach: 4)
    var clip = Clip(audio)
    try AutomaticGain(targetDecibels: -40, attackSeconds: 0.2, releaseSeconds: 0.5)
        .apply(to: &clip, material: NoMaterial())
    func factor(_ frame: Int) -> Double { Double(audio.samples[frame] / clip.audio.samples[frame]) }
    let mean = (1e-4 + 1e-2) / 2
    // At the end of the soft part, eight time constants after the start.
    let end = 1e-4 + (mean - 1e-4) * exp(-8)
    func average(_ frame: Int) -> Double { end * pow(factor(frame) / factor(4 * rate - 1), 2) }
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
