import AudioCore
import TestSupport

/// A lesson that is a formula: a voice over quiet music, and music alone now and then.
enum SpokenLesson {
    static func render(seconds: Double, sampleRate: Int = 16_000) -> AudioBuffer {
        var samples = ScoreSong(seed: 41, seconds: seconds).render(sampleRate: sampleRate).samples
        let speech = SpokenVoice(pitchHertz: 165, seed: 42)
            .speak(frameCount: samples.count, sampleRate: sampleRate)
        for frame in samples.indices {
            // Of each minute the first 48 s are spoken.
            let isSpoken = frame / sampleRate % 60 < 48
            samples[frame] = isSpoken ? 0.3 * samples[frame] + speech[frame] : samples[frame]
        }
        return AudioBuffer(samples: samples, sampleRate: sampleRate)
    }
}
