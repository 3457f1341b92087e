import AudioCore
import Degradations
import Foundation
import SystemIO

/// Noise from real recordings if their corpora were fetched, else from formulas.
///
/// Speech comes from the corpus `speech`, ambience as collages from `ambience`, music from the noise tracks of the
/// corpus under evaluation. The generator alone decides the excerpt, on any number of threads. Decoded recordings
/// stay in memory, 90 kB a second at 44.1 kHz.
public struct CorpusMaterial: Material {
    package let provenance: [MaterialKind: String]
    /// SHA-256 over the identity of all sources, in hexadecimal: other noise has another digest.
    public let digest: String
    private let sources: [MaterialKind: any NoiseSource]

    /// Opens what is there.
    ///
    /// - Parameter music: The corpus under evaluation; nil, or one without noise tracks, gives
    ///   synthetic music.
    /// - Throws: ``CorpusError`` or ``ConfigurationError`` when a recipe or a lock is broken; that a corpus
    ///   was not fetched is no error.
    public init(library: CorpusLibrary, music: Corpus?) throws {
        let speech = try Self.fetched("speech", in: library)
        let ambience = try Self.fetched("ambience", in: library)
        var provenance: [MaterialKind: String] = [:]
        var sources: [MaterialKind: any NoiseSource] = [:]

        if let speech {
            let voices = Dictionary(grouping: speech.tracks) { $0.id.prefix { $0 != "/" } }
            sources[.speech] = SpeechSource(
                voices: voices.sorted { $0.key < $1.key }.map {
                    speech.recordings(of: $0.value, maximumSeconds: 30)
                })
            provenance[.speech] =
                "corpus speech (\(speech.lockDigest.prefix(12))): \(voices.count) voices at 8 kHz, "
                + "so all of it lies below 4 kHz"
        } else {
            sources[.speech] = SpeechSource(voices: SyntheticSpeech.voices)
            provenance[.speech] =
                "synthetic speech (formants, version 1) at 8 kHz; the corpus speech is not fetched"
        }

        if let ambience {
            sources[.ambience] = AmbienceSource(
                effects: ambience.recordings(of: ambience.tracks, maximumSeconds: 30))
            provenance[.ambience] =
                "corpus ambience (\(ambience.lockDigest.prefix(12))): collages of "
                + "\(ambience.tracks.count) effects"
        } else {
            sources[.ambience] = AmbienceSource(effects: SyntheticEffects.recordings)
            provenance[.ambience] =
                "collages of synthetic effects (version 1); the corpus ambience is not fetched"
        }

        let noise = music?.tracks.filter { $0.role == .noise } ?? []
        if let music, !noise.isEmpty {
            sources[.music] = MusicSource(recordings: music.recordings(of: noise, maximumSeconds: 60))
            provenance[.music] =
                "corpus \(music.name) (\(music.lockDigest.prefix(12))): \(noise.count) tracks that are never enrolled"
        } else {
            let pieces = (1...8).map { number in
                NoiseRecordings.Item { SyntheticMusic(seed: StableHash.of("noise", "\(number)")).render() }
            }
            sources[.music] = MusicSource(recordings: NoiseRecordings(pieces, maximumSeconds: 60))
            provenance[.music] = "synthetic music (version 1)"
        }
        self.sources = sources
        self.provenance = provenance
        let identity = MaterialKind.allCases.map { "\($0.rawValue): \(provenance[$0] ?? "none")\n" }.joined()
        digest = Digest.sha256(identity)
    }

    /// Cuts noise, chosen by `generator` alone.
    ///
    /// - Throws: `DegradationError` with code `missingMaterial`, `AudioFileError` or ``CorpusError``.
    package func excerpt(
        of kind: MaterialKind, frameCount: Int, sampleRate: Int, using generator: inout SeededGenerator
    ) throws -> [Float] {
        guard let source = sources[kind] else {
            throw DegradationError(.missingMaterial, "no recording of \(kind.rawValue) to mix in")
        }
        guard frameCount > 0 else { return [] }
        return try source.excerpt(frameCount: frameCount, sampleRate: sampleRate, using: &generator)
    }

    private static func fetched(_ name: String, in library: CorpusLibrary) throws -> Corpus? {
        do {
            let corpus = try Corpus.open(named: name, in: library)
            return corpus.tracks.isEmpty ? nil : corpus
        } catch let error as CorpusError where [.notFetched, .unknownCorpus].contains(error.code) {
            return nil
        }
    }
}

extension Corpus {
    func recordings(of tracks: [Track], maximumSeconds: Double) -> NoiseRecordings {
        NoiseRecordings(
            tracks.map { track in NoiseRecordings.Item { try audio(of: track) } },
            maximumSeconds: maximumSeconds)
    }
}
