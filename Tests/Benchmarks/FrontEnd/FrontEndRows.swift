import AudioCore
import CReference
import Fingerprinting

/// The cost of analysis relative to a plain C loop of the same transforms.
enum FrontEndRows {
    static func measure(_ audio: AudioBuffer, repetitions: Int) throws -> [Row] {
        let seconds = audio.durationSeconds
        let analysis = Settings().analysis
        // The C loop transforms noise of the same length: its time does not depend on the samples.
        var generator = SeededGenerator(seed: 1)
        let noise = (0..<Int(seconds * Double(analysis.sampleRate)) + analysis.windowSize).map { _ in
            Float(generator.uniform(in: -0.5...0.5))
        }
        let low = AudioBuffer(samples: noise, sampleRate: analysis.sampleRate)
        let query = audio.frames(0..<min(audio.frameCount, 5 * audio.sampleRate))
        guard let spectra = reference_spectra_make(Int32(analysis.windowSize)) else { return [] }
        defer { reference_spectra_free(spectra) }

        let loop = "C loop of the transforms"
        let decimated = "analysis of mono at 8 kHz"
        let whole = "analysis of \(audio.channelCount) channels at \(audio.sampleRate) Hz"
        let asQuery = "analysis of a 5 s query"
        var race = Race()
        race.add(loop) {
            _ = noise.withUnsafeBufferPointer {
                reference_spectra_run(spectra, $0.baseAddress, $0.count, analysis.hopSize)
            }
        }
        race.add(decimated) { _ = try SignatureExtractor.signature(of: low) }
        race.add(whole) { _ = try SignatureExtractor.signature(of: audio) }
        race.add(asQuery) { _ = try Query(query) }
        let best = try race.run(repetitions: repetitions)

        let unit = "us per audio second"
        let base = (best[loop] ?? .nan) / seconds
        return [loop, decimated, whole].map { name in
            let cost = (best[name] ?? .nan) / seconds
            return Row(
                name: name, cost: cost * 1e6, unit: unit, ratio: name == loop ? nil : cost / base,
                relativeTo: name == loop ? nil : loop)
        } + [Row(name: asQuery, cost: (best[asQuery] ?? .nan) * 1e3, unit: "ms")]
    }
}
