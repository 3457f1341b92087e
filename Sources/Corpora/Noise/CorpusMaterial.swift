import AudioCore
import AudioIO
import Degradations
import SystemIO

/// Noise from real recordings if their corpora were fetched, else from formulas.
///
/// Speech comes from the corpora `speech` and `speech-16k`, ambience as collages from `ambience`, music from the noise tracks of the
/// corpus under evaluation. The two halves of a corpus share no recording of any kind; recordings made by formulas
/// take turns. The generator alone decides the excerpt, on any number of threads. Decoded recordings stay in memory,
/// 90 kB a second at 44.1 kHz.
public struct CorpusMaterial: Material {
    package let provenance: [MaterialKind: String]
    /// The checksum of every recording in use, or its name if a formula makes it.
    package var recordings: [MaterialKind: Set<String>] { sources.mapValues(\.recordings) }
    private let sources: [MaterialKind: any NoiseSource]
    package let program: (any DegradationProgram)?

    /// Increases when equal recordings give other noise than before.
    package static let version = 2

    /// Opens what is there.
    ///
    /// - Parameters:
    ///   - music: The corpus under evaluation; nil, or one without noise tracks, gives synthetic music.
    ///   - half: The half that queries are cut from. Nil, like a corpus that is not divided, uses all recordings. An exam
    ///     uses the test half.
    /// - Throws: ``CorpusError`` or ``ConfigurationError`` when a recipe or a lock is broken; that a corpus
    ///   was not fetched is no error.
    public init(library: CorpusLibrary, music: Corpus?, half: CorpusHalf? = nil) throws {
        program = library.degradations
        // An exam takes the noise that no settings were chosen with.
        let half: CorpusHalf? =
            music?.recipe.isExam == true ? .test : music?.isDivided == false ? nil : half
        func used(_ tracks: [Track]) -> [Track] { tracks.filter { half == nil || $0.half == half } }
        let part = half.map { ", \($0.rawValue) half" } ?? ""
        let ambience = try Self.fetched("ambience", in: library)
        var provenance: [MaterialKind: String] = [:]
        var sources: [MaterialKind: any NoiseSource] = [:]

        for (kind, corpus, rate) in [
            (MaterialKind.speech, "speech", 8000), (.wideSpeech, "speech-16k", 16_000),
        ] {
            if let speech = try Self.fetched(corpus, in: library) {
                let program = speech.tracks.first?.path.flatMap(AudioLibraryVersions.program(decodingFileAt:))
                let voices = Dictionary(grouping: used(speech.tracks)) { $0.id.prefix { $0 != "/" } }
                sources[kind] = SpeechSource(
                    voices: voices.sorted { $0.key < $1.key }.map {
                        speech.recordings(of: $0.value, maximumSeconds: 30)
                    })
                provenance[kind] =
                    "corpus \(corpus) (\(speech.lockDigest.prefix(12))\(part)): \(voices.count) voices "
                    + "at \(rate / 1000) kHz, so all of it lies below \(rate / 2000) kHz"
                    + (program.map { ", decoded by \($0)" } ?? "")
            } else {
                sources[kind] = SpeechSource(
                    voices: SyntheticSpeech.voices(sampleRate: rate).map { $0.alternate(half) })
                provenance[kind] =
                    "synthetic speech (formants, version 1\(part)) at \(rate / 1000) kHz; "
                    + "the corpus \(corpus) is not fetched"
            }
        }

        if let ambience {
            let effects = used(ambience.tracks)
            sources[.ambience] = AmbienceSource(effects: ambience.recordings(of: effects, maximumSeconds: 30))
            provenance[.ambience] =
                "corpus ambience (\(ambience.lockDigest.prefix(12))\(part)): collages of "
                + "\(effects.count) effects"
        } else {
            sources[.ambience] = AmbienceSource(effects: SyntheticEffects.recordings.alternate(half))
            provenance[.ambience] =
                "collages of synthetic effects (version 1\(part)); the corpus ambience is not fetched"
        }

        let noise = used(music?.tracks.filter { $0.role == .noise } ?? [])
        if let music, !noise.isEmpty {
            sources[.music] = MusicSource(music: music.recordings(of: noise, maximumSeconds: 60))
            provenance[.music] =
                "corpus \(music.name) (\(music.lockDigest.prefix(12))\(part)): \(noise.count) tracks that are "
                + "never enrolled"
        } else {
            let pieces = (1...8).map { number in
                NoiseRecordings.Item(name: "synthetic music \(number)") {
                    SyntheticMusic(seed: StableHash.of("noise", "\(number)")).render()
                }
            }
            sources[.music] = MusicSource(
                music: NoiseRecordings(pieces, maximumSeconds: 60).alternate(half))
            provenance[.music] = "synthetic music (version 1\(part))"
        }
        self.sources = sources
        self.provenance = provenance
    }

    /// What the samples of an excerpt depend on beside the generator, as SHA-256 in hexadecimal.
    ///
    /// Each kind has its own, so that fetching a corpus leaves queries with other noise what they are.
    package func digest(of kind: MaterialKind) -> String {
        guard let provenance = provenance[kind] else { return "" }
        return Digest.sha256("version \(Self.version)\n\(kind.rawValue): \(provenance)\n")
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
            tracks.map { track in
                NoiseRecordings.Item(name: checksums[track.id] ?? track.id) { try audio(of: track) }
            }, maximumSeconds: maximumSeconds)
    }
}
