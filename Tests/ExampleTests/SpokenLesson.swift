import AudioCore
import Degradations
import TestSupport

/// A synthetic lesson: a voice over quiet music, with passages of music alone.
enum SpokenLesson {
    static func render(seconds: Double, sampleRate: Int = 16_000) -> AudioBuffer {
        var samples = ScoreSong(seed: 41, seconds: seconds).render(sampleRate: sampleRate).samples
        let speech = SpokenVoice(pitchHertz: 165, seed: 42)
            .speak(frameCount: samples.count, sampleRate: sampleRate)
        for frame in samples.indices {
            // The first 48 s of each minute are spoken.
            let isSpoken = frame / sampleRate % 60 < 48
            samples[frame] = isSpoken ? 0.3 * samples[frame] + speech[frame] : samples[frame]
        }
        return AudioBuffer(samples: samples, sampleRate: sampleRate)
    }
}

/// Other voices to mix in.
struct SpokenMaterial: Material {
    func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        SpokenVoice(pitchHertz: generator.uniform(in: 90...230), seed: generator.next())
            .speak(frameCount: frameCount, sampleRate: sampleRate)
    }
}
