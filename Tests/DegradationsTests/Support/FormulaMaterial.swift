import AudioCore
import Degradations
import Foundation

/// Synthetic material: voices with syllables and pauses, noise of places, and chords.
struct FormulaMaterial: Material {
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        let pitch = generator.uniform(in: 90...250)
        let pace = generator.uniform(in: 2...5)
        let loudness = generator.uniform(in: 0.05...0.9)
        var samples: [Float] = []
        for frame in 0..<frameCount {
            let time = Double(frame) / Double(sampleRate)
            let hiss = generator.uniform(in: -1...1)
            let tones = (1...6).reduce(0.0) { $0 + sin(2 * .pi * pitch * Double($1) * time) / Double($1) }
            let value =
                switch kind {
                case .speech, .wideSpeech: max(0, sin(2 * .pi * pace * time)) * (tones + 0.2 * hiss) + 0.1
                case .ambience: hiss
                case .music: tones
                }
            samples.append(Float(loudness * value))
        }
        return samples
    }
}
