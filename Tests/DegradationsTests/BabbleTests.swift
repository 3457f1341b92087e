import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

/// Voices of different pitch whose powers differ by a factor of 100.
private struct UnevenVoices: Material {
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        let loud = generator.index(below: 2) == 0
        let frequency = loud ? 500.0 : 800
        let level = loud ? 0.5 : 0.05
        return (0..<frameCount).map {
            Float(0.3 + level * sin(2 * .pi * frequency * Double($0) / Double(sampleRate)))
        }
    }
}

@Test("All voices of a babble have the same power")
func evenVoices() throws {
    // The signal is a quiet tone at 100 Hz. The powers at 500 and 800 Hz must be as the numbers of voices.
    let tone = AudioBuffer(
        samples: (0..<8000).map { 0.1 * Float(sin(2 * Double.pi * 100 * Double($0) / 8000)) },
        sampleRate: 8000)
    for seed in 0..<20 as Range<UInt64> {
        var clip = Clip(tone)
        try Babble(voices: 2, snrDecibels: 0, seed: seed).apply(to: &clip, material: UnevenVoices())
        let low = amplitude(of: 500, in: clip.audio.samples[...], sampleRate: 8000)
        let high = amplitude(of: 800, in: clip.audio.samples[...], sampleRate: 8000)
        // The two voices are the same one, or they share the power.
        #expect(low < 1e-4 || high < 1e-4 || abs(low - high) < 1e-3 * low)
        #expect(max(low, high) > 0.05)
    }
}

@Test("More voices are more uniform, and each count differs")
func voiceCounts() throws {
    let clips = try [1, 2, 16].map { voices in
        var clip = Clip(Tune().recording(seconds: 1, sampleRate: 8000))
        try Babble(voices: voices, snrDecibels: 0, seed: 5).apply(to: &clip, material: FormulaMaterial())
        return clip.audio
    }
    #expect(clips[0] != clips[1] && clips[1] != clips[2])
}

@Test("A babble of full-band speech asks for it, and only then writes a source")
func babbleSource() throws {
    let narrow = AnyDegradation(Babble(voices: 2, snrDecibels: 0, seed: 1))
    let wide = AnyDegradation(Babble(voices: 2, snrDecibels: 0, source: .wideSpeech, seed: 1))
    #expect(narrow.value.materialKind == .speech && wide.value.materialKind == .wideSpeech)
    func json(_ step: AnyDegradation) throws -> String {
        String(decoding: try JSONEncoder().encode(step), as: UTF8.self)
    }
    // The text is part of the identity of a query.
    #expect(try !json(narrow).contains("source"))
    #expect(try json(wide).contains(#""source":"speech-16k""#))
}
