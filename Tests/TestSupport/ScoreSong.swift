import AudioCore
import Glibc

/// Synthetic music in continuous time, so that any excerpt at any speed, pitch, tempo and rate is exact.
///
/// Four voices play random notes of a random scale. Each note has a few decaying partials with a soft attack.
public struct ScoreSong: Sendable {
    private struct Note: Sendable {
        var start: Double
        var end: Double
        var partials: [Partial] = []
    }
    private struct Partial: Sendable {
        var frequency: Double
        var amplitude: Double
        let decay: Double
        let phase: Double
    }
    private var notes: [Note]
    /// The length in seconds.
    public let durationSeconds: Double

    /// Composes another song for every seed.
    public init(seed: UInt64, seconds: Double) {
        durationSeconds = seconds
        var generator = SeededGenerator(seed: seed, "song")
        let key = generator.uniform(in: 0...1)
        let beat = generator.uniform(in: 0.11...0.19)
        var notes: [Note] = []
        for voice in 0..<4 {
            var time = generator.uniform(in: 0...0.3)
            while time < seconds {
                let degree =
                    [0, 2, 3, 5, 7, 8, 10][generator.index(below: 7)] + 12 * generator.index(below: 2)
                let base = 110 * exp2(key + Double(voice) * 0.6 + Double(degree) / 12)
                let decay = generator.uniform(in: 0.15...0.7)
                let loudness = generator.uniform(in: 0.25...1) * 0.08
                var note = Note(start: time, end: time + 4 * decay)
                for harmonic in 1...6 {
                    let frequency = base * Double(harmonic) * (1 + 0.0004 * Double(harmonic * harmonic))
                    guard frequency < 4200 else { break }
                    note.partials.append(
                        Partial(
                            frequency: frequency,
                            amplitude: loudness / Double(harmonic) * generator.uniform(in: 0.4...1.6),
                            decay: decay / (1 + 0.3 * Double(harmonic)),
                            phase: generator.uniform(in: 0...(2 * .pi))))
                }
                notes.append(note)
                time += beat * Double(1 + generator.index(below: 4)) * generator.uniform(in: 0.97...1.03)
            }
        }
        self.notes = notes
    }

    /// The same notes with other sounds, each up to 50 ms early or late, with partials up to 25 cents off, or a share of that.
    public func withOtherSounds(seed: UInt64, share: Double = 1) -> ScoreSong {
        var generator = SeededGenerator(seed: seed, "sounds")
        var song = self
        for note in song.notes.indices {
            let late = share * generator.uniform(in: -0.05...0.05)
            song.notes[note].start += late
            song.notes[note].end += late
            for partial in song.notes[note].partials.indices {
                song.notes[note].partials[partial].frequency *= exp2(
                    share * generator.uniform(in: -25...25) / 1200)
                song.notes[note].partials[partial].amplitude *= exp(generator.uniform(in: -1...1))
            }
        }
        return song
    }

    /// Plays `seconds` of the song from song time `startSeconds` in one channel.
    ///
    /// `timeRatio` is in song seconds per second; above 1 is a faster tempo. `frequencyRatio` is the frequency over that
    /// of the song; above 1 is a higher pitch.
    public func render(
        from startSeconds: Double, seconds: Double, sampleRate: Int = 16_000, timeRatio: Double = 1,
        frequencyRatio: Double = 1
    ) -> AudioBuffer {
        let count = Int((seconds * Double(sampleRate)).rounded())
        var samples = [Double](repeating: 0, count: count)
        for note in notes {
            let onset = (note.start - startSeconds) / timeRatio
            let end = (note.end - startSeconds) / timeRatio
            guard end > 0, onset < seconds else { continue }
            let first = max(0, Int((onset * Double(sampleRate)).rounded(.up)))
            let last = min(count, Int(end * Double(sampleRate)))
            guard first < last else { continue }
            let age = Double(first) / Double(sampleRate) - onset
            // A decaying rotating vector takes one complex product per sample. Each partial has one in a lane.
            var (x, y) = (SIMD8<Double>.zero, SIMD8<Double>.zero)
            var (stepX, stepY) = (SIMD8<Double>.zero, SIMD8<Double>.zero)
            for (lane, partial) in note.partials.enumerated() {
                let frequency = partial.frequency * frequencyRatio
                guard frequency < 0.46 * Double(sampleRate) else { continue }
                let phase = partial.phase + 2 * .pi * frequency * age
                let turn = 2 * Double.pi * frequency / Double(sampleRate)
                let shrink = exp(-timeRatio / (partial.decay * Double(sampleRate)))
                let level = partial.amplitude * exp(-age * timeRatio / partial.decay)
                x[lane] = level * cos(phase)
                y[lane] = level * sin(phase)
                stepX[lane] = shrink * cos(turn)
                stepY[lane] = shrink * sin(turn)
            }
            let attack = 0.01 * Double(sampleRate)
            for sample in first..<last {
                let rise = (Double(sample) - onset * Double(sampleRate)) / attack
                let shaped = rise < 1 ? y * rise * rise * (3 - 2 * rise) : y
                samples[sample] =
                    samples[sample] + shaped[0] + shaped[1] + shaped[2] + shaped[3] + shaped[4] + shaped[5]
                (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
            }
        }
        return AudioBuffer(samples: samples.map(Float.init), sampleRate: sampleRate)
    }

    /// The whole song.
    public func render(sampleRate: Int = 16_000) -> AudioBuffer {
        render(from: 0, seconds: durationSeconds, sampleRate: sampleRate)
    }
}
