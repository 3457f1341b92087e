import AudioIO
import Corpora
import Degradations
import Foundation
import SystemIO

/// The cache keys of rendered queries: equal digests give equal samples.
///
/// A digest covers the bytes of the source file, and the start and length of the query. It also covers the steps
/// of the chain with their versions, and the noise that they mix in. Last, it covers the versions of the libraries
/// that make samples. So a changed degradation makes only its own queries again.
package struct QueryRecipe: Sendable {
    /// Increase this if queries change for a reason that no version of a step covers.
    private static let version = 1

    private let sources: [String: String]
    private let materialDigest: String
    private let libraries: String

    package init(corpus: Corpus, materialDigest: String) {
        self.materialDigest = materialDigest
        let files = Dictionary(
            corpus.lock.files.map { ($0.id, $0.sha256) }, uniquingKeysWith: { first, _ in first })
        sources = Dictionary(
            corpus.tracks.map { track in
                guard let copy = track.copy else { return (track.id, files[track.id] ?? "") }
                return (track.id, "\(files[copy.original] ?? "") at speed \(copy.speed.ratio)")
            }, uniquingKeysWith: { first, _ in first })
        libraries = DegradationLibraries.versions
            .sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// The content that a track's samples are made from, for digests of catalogs and queries.
    package func content(of track: String) -> String { sources[track] ?? "" }

    /// The digest of a trial's query; nil if the content of its source is unknown.
    package func digest(of trial: Trial) -> String? {
        if let recorded = trial.recorded {
            return recorded.sha256.map { content in
                let parts = ["recorded query \(Self.version)", content, recorded.description, libraries]
                return Digest.sha256(parts.joined(separator: "\n"))
            }
        }
        let source = trial.source.map(content(of:)) ?? "silence"
        guard !source.isEmpty else { return nil }
        var parts = [
            "query \(Self.version)", source,
            trial.startFrame.map { "frame \($0)" } ?? String(trial.startSeed), String(trial.startShiftFrames),
            String(trial.cell.lengthSeconds), trial.chain.json, libraries,
        ]
        for step in trial.chain.steps {
            let kind = type(of: step.value)
            parts.append("\(kind.name) \(kind.version)")
            if kind.usesMaterial { parts.append(materialDigest) }
        }
        return Digest.sha256(parts.joined(separator: "\n"))
    }
}
