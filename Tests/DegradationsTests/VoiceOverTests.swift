import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test("The voice has its SNR over the music before it is lowered", arguments: [-6, 0, 10] as [Double])
func ratioOfVoice(snrDecibels: Double) throws {
    let music = TestSignals.noise(seed: 1, amplitude: 0.1, seconds: 4, sampleRate: 16_000, channelCount: 2)
    var clip = Clip(music)
    try VoiceOver(snrDecibels: snrDecibels, seed: 5).apply(to: &clip, material: FormulaMaterial())
    #expect(abs(try #require(clip.measurements["snrDecibels"]) - snrDecibels) < 0.001)
}

@Test("The music is lowered by the ducking while the voice speaks, and only then")
func ducking() throws {
    // A voice that speaks in the second half.
    struct Late: Material {
        func excerpt(
            of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
        ) throws -> [Float] {
            (0..<frameCount).map { $0 < frameCount / 2 ? 0 : Float(sin(Double($0) * 0.05)) }
        }
    }
    let rate = 16_000
    let tone = TestSignals.sine(frequency: 4000, amplitude: 0.01, seconds: 4, sampleRate: rate)
    var clip = Clip(tone)
    try VoiceOver(duckDecibels: 12, snrDecibels: 0, seed: 5).apply(to: &clip, material: Late())
    let scale = clip.measurements["scaleDecibels"] ?? 0
    func level(_ seconds: Range<Int>) -> Double {
        let frames = seconds.lowerBound * rate..<seconds.upperBound * rate
        return 20 * log10(amplitude(of: 4000, in: clip.audio.samples[frames], sampleRate: rate) / 0.01)
            - scale
    }
    #expect(abs(level(0..<1)) < 0.01)
    #expect(abs(level(3..<4) + 12) < 0.05)
}
