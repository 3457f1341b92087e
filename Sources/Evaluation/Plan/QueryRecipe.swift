import AudioIO
import Corpora
import Degradations
import Foundation
import SystemIO

/// The identities of queries: equal digests give equal samples.
///
/// A digest covers the bytes of the source file, and the start and length of the query. It also covers the steps
/// of the chain with their versions, the noise that they mix in, and the bytes of every file that they read. Last,
/// it covers the versions of the libraries that make samples. So a changed degradation makes only its own queries
/// again.
package struct QueryRecipe: Sendable {
    /// Increase this if queries change for a reason that no version of a step covers.
    package static let version = 2

    private let sources: [String: String]
    /// What every digest covers.
    private let shared: [Part]
    private let material: CorpusMaterial?
    /// The versions of the libraries that make samples.
    package static let libraries = DegradationLibraries.versions
        .sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")

    /// - Parameters:
    ///   - material: Nil for recorded queries that no chain changes.
    ///   - libraries: The versions of the libraries that make samples.
    package init(
        corpus: Corpus, material: CorpusMaterial?, version: Int = Self.version,
        libraries: String = Self.libraries
    ) {
        self.material = material
        shared = [Part("rendering", "query \(version)"), Part("libraries", libraries)]
        let files = corpus.checksums
        sources = Dictionary(
            corpus.tracks.map { track in
                guard let copy = track.copy else {
                    return (track.id, Self.content(files[track.id] ?? "", at: track.path))
                }
                return (track.id, "\(files[copy.original] ?? "") at speed \(copy.speed.ratio)")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The digest of a file's bytes, with the program that makes samples of them if it is not a library of this process.
    private static func content(_ sha256: String, at path: String?) -> String {
        guard let program = path.flatMap(AudioLibraryVersions.program(decodingFileAt:)) else { return sha256 }
        return "\(sha256) by \(program)"
    }

    /// The content that a track's samples are made from, for digests of catalogs and queries.
    package func content(of track: String) -> String { sources[track] ?? "" }

    /// A part of what decides a query's samples.
    package struct Part: Hashable, Sendable {
        package let name: String
        let content: String
        /// The content for people.
        package let words: String

        init(_ name: String, _ content: String, words: String? = nil) {
            self.name = name
            self.content = content
            self.words = words ?? (content.count == 64 ? String(content.prefix(12)) : content)
        }
    }

    /// What shapes the samples of a chain beside its parameters: versions, noise and contents of files.
    ///
    /// - Throws: `DegradationError` with code `missingMaterial` if a file cannot be read.
    package func content(of chain: DegradationChain) throws -> [String] {
        try parts(of: chain).map(\.content)
    }

    private func parts(of chain: DegradationChain) throws -> [Part] {
        var parts: [Part] = []
        for step in chain.steps {
            let kind = type(of: step.value)
            parts.append(
                Part(
                    "degradation \(kind.name)", "\(kind.name) \(kind.version)",
                    words: "version \(kind.version)"))
            if let noise = step.value.materialKind {
                parts.append(
                    Part(
                        "noise \(noise.rawValue)", material?.digest(of: noise) ?? "",
                        words: material?.provenance[noise] ?? "none"))
            }
            if let program = step.value.program { parts.append(Part("programs", program)) }
            for path in step.value.files {
                guard let content = FileContents.sha256(of: path) else {
                    throw DegradationError(.missingMaterial, "\(kind.name): \(path) cannot be read")
                }
                parts.append(Part("file \(path)", content))
            }
        }
        return parts
    }

    /// The digest of a trial's query; nil if the content of its source is unknown.
    ///
    /// - Throws: `DegradationError` with code `missingMaterial` if a file of its chain cannot be read.
    package func digest(of trial: Trial) throws -> String? {
        try source(of: trial).map { Self.digest(try parts(of: trial, from: $0)) }
    }

    /// What ``digest(of:)`` covers, for telling plans apart, so without the shift of the start.
    ///
    /// An unknown source counts by its name, because the lock of the corpus says all there is to know of it.
    func identity(of trial: Trial) throws -> [Part] {
        var trial = trial
        trial.startShiftFrames = 0
        return try parts(of: trial, from: source(of: trial) ?? "unknown \(trial.source ?? trial.id)")
    }

    static func digest(_ parts: [Part]) -> String {
        Digest.sha256(parts.map(\.content).joined(separator: "\n"))
    }

    private func source(of trial: Trial) -> String? {
        if let recorded = trial.recorded {
            return recorded.sha256.map { Self.content($0, at: recorded.path) }
        }
        guard let source = trial.source else { return "silence" }
        let content = content(of: source)
        return content.isEmpty ? nil : content
    }

    private func parts(of trial: Trial, from source: String) throws -> [Part] {
        var parts = shared + [Part("recordings", source)]
        let cut: [String]
        if let recorded = trial.recorded {
            parts.append(Part("recordings", "recorded\n\(recorded.description)"))
            if trial.chain.steps.isEmpty { return parts }
            cut = []
        } else {
            cut = [
                trial.startFrame.map { "frame \($0)" } ?? String(trial.startSeed),
                String(trial.startShiftFrames),
            ]
        }
        let made = cut + [String(trial.cell.lengthSeconds), trial.chain.json]
        return try parts + [Part("cuts and chains", made.joined(separator: "\n"))]
            + self.parts(of: trial.chain)
    }
}
