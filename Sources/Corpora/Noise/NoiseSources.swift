import AudioCore
import Degradations

protocol NoiseSource: Sendable {
    /// The names of all recordings that an excerpt may be cut from.
    var recordings: Set<String> { get }

    /// Cuts one channel of noise, chosen by `generator` alone.
    func excerpt(frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator) throws -> [Float]
}

/// Prompts of one voice in succession, with short pauses.
struct SpeechSource: NoiseSource {
    let voices: [NoiseRecordings]
    var recordings: Set<String> { Set(voices.flatMap(\.names)) }

    func excerpt(frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator) throws -> [Float] {
        let voice = voices[generator.index(below: voices.count)]
        var order = ShuffledNumbers(count: voice.count)
        var speech: [Float] = []
        var silent = 0
        // The first prompt is already going on when the excerpt starts.
        let lead = generator.index(below: sampleRate)
        while speech.count < frameCount + lead {
            let samples = try voice.recording(order.draw(using: &generator), sampleRate: sampleRate).all
            let pause = Int(bounded: generator.uniform(in: 0.1...0.5) * Double(sampleRate))
            guard let level = Self.levelled(samples) else {
                silent += 1
                guard silent <= voice.count else {
                    throw DegradationError(.missingMaterial, "all recordings of a voice are silent")
                }
                continue
            }
            speech += level
            speech += [Float](repeating: 0, count: pause)
        }
        return Array(speech[lead..<(lead + frameCount)])
    }

    /// The prompt at an RMS of 0.1, for equal loudness; nil for silence.
    private static func levelled(_ samples: [Float]) -> [Float]? {
        var power = 0.0
        for sample in samples { power += Double(sample) * Double(sample) }
        let rms = (power / Double(max(1, samples.count))).squareRoot()
        guard rms > 0.002 else { return nil }
        let scale = Float(0.1 / rms)
        return samples.map { $0 * scale }
    }
}

struct AmbienceSource: NoiseSource {
    let effects: NoiseRecordings
    var recordings: Set<String> { Set(effects.names) }

    func excerpt(frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator) throws -> [Float] {
        guard effects.count >= EffectCollage.leastEffects else {
            throw DegradationError(
                .missingMaterial, "\(effects.count) effects, expected at least \(EffectCollage.leastEffects)")
        }
        return try EffectCollage(
            frameCount: frameCount, sampleRate: sampleRate, effectCount: effects.count, using: &generator
        ) { try effects.recording($0, sampleRate: sampleRate).all }.samples
    }
}

/// Passages of music, in succession if one recording is too short.
struct MusicSource: NoiseSource {
    let music: NoiseRecordings
    var recordings: Set<String> { Set(music.names) }

    func excerpt(frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator) throws -> [Float] {
        var passages = Crossfade(overlap: sampleRate / 10)
        var attempts = 0
        while passages.samples.count < frameCount {
            let recording = try music.recording(generator.index(below: music.count), sampleRate: sampleRate)
            let wanted = frameCount - passages.samples.count + passages.overlap
            let position = generator.unit()
            attempts += 1
            guard recording.count > 2 * passages.overlap else {
                guard attempts < 1000 else {
                    throw DegradationError(.missingMaterial, "all music is too short")
                }
                continue
            }
            let start = Int(bounded: position * Double(max(0, recording.count - wanted) + 1))
            passages.append(recording.samples(in: start..<min(recording.count, start + wanted)))
        }
        return Array(passages.samples.prefix(frameCount))
    }
}
