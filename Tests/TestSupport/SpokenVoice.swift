import AudioCore
import Foundation

/// A synthetic voice: harmonic syllables with vowel formants, in phrases with pauses.
public struct SpokenVoice: Sendable {
    private let pitchHertz: Double
    private let seed: UInt64

    /// Another text for every seed.
    public init(pitchHertz: Double, seed: UInt64) { (self.pitchHertz, self.seed) = (pitchHertz, seed) }

    private static let formants: [[Double]] = [
        [730, 1090, 2440], [270, 2290, 3010], [300, 870, 2240], [530, 1840, 2480], [570, 840, 2410],
        [660, 1720, 2410], [440, 1020, 2240],
    ]

    /// Speaks in mono.
    public func speak(frameCount: Int, sampleRate: Int) -> [Float] {
        var generator = SeededGenerator(seed: seed, "voice")
        var samples = [Float](repeating: 0, count: frameCount)
        let rate = Double(sampleRate)
        var start = 0
        while start < frameCount {
            let syllables = 8 + generator.index(below: 8)
            for syllable in 0..<syllables where start < frameCount {
                let length = Int(generator.uniform(in: 0.12...0.26) * rate)
                let fall = 1.12 - 0.24 * Double(syllable) / Double(syllables)
                let pitch = pitchHertz * fall * generator.uniform(in: 0.92...1.1)
                let vowel = Self.formants[generator.index(below: Self.formants.count)]
                let loudness = generator.uniform(in: 0.4...1) * 0.2
                add(
                    pitch, vowel, loudness, from: start, count: min(length, frameCount - start), rate,
                    &samples)
                start += length
            }
            start += Int(generator.uniform(in: 0.15...0.6) * rate)
        }
        return samples
    }

    private func add(
        _ pitch: Double, _ formants: [Double], _ loudness: Double, from start: Int, count: Int,
        _ rate: Double,
        _ samples: inout [Float]
    ) {
        for harmonic in 1...Int(3400 / pitch) {
            let frequency = pitch * Double(harmonic)
            let level = formants.reduce(0.02) { sum, formant in
                sum + exp(-0.5 * pow((frequency - formant) / 110, 2)) * 500 / formant
            }
            let turn = 2 * Double.pi * frequency / rate
            // A rotating vector: one complex product per sample.
            var (x, y) = (loudness * level * cos(Double(harmonic)), loudness * level * sin(Double(harmonic)))
            let (stepX, stepY) = (cos(turn), sin(turn))
            for frame in 0..<count {
                let edge = Double(min(frame, count - 1 - frame)) / (0.02 * rate)
                samples[start + frame] += Float(y * min(1, edge))
                (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
            }
        }
    }
}
