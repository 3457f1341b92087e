import AudioCore
import Degradations
import Testing

@Test("Each echo has the delay and the gain; the direct sound stays")
func echoes() throws {
    var clip = Clip(
        AudioBuffer(samples: (0..<8000).map { $0 == 1000 ? 0.5 : 0 }, sampleRate: 8000), startSeconds: 2)
    try Echo(delaySeconds: 0.25, gainDecibels: -6, repeats: 5).apply(to: &clip, material: NoMaterial())
    let gain = Float(Decibels.amplitudeRatio(-6))
    for (frame, sample) in clip.audio.samples.enumerated() {
        let expected: Float =
            switch frame {
            case 1000: 0.5
            case 3000: 0.5 * gain
            case 5000: 0.5 * gain * gain
            case 7000: 0.5 * gain * gain * gain
            default: 0
            }
        #expect(abs(sample - expected) < 1e-6)
    }
    #expect(clip.audio.frameCount == 8000 && clip.timeMap(0) == 2)
}

@Test("A sum above full scale is scaled")
func loudEchoes() throws {
    var clip = Clip(AudioBuffer(samples: [Float](repeating: 0.9, count: 8000), sampleRate: 8000))
    try Echo(delaySeconds: 0.1, gainDecibels: 0, repeats: 3).apply(to: &clip, material: NoMaterial())
    #expect(abs(clip.audio.samples[0] - 0.25) < 1e-6 && abs(clip.audio.samples[7999] - 1) < 1e-6)
}
