import AudioCore
import Evaluation
import Fingerprinting

/// A corpus and a catalog of some of its tracks.
struct StreamCatalog {
    let catalog: Catalog
    let tracks: [String: Track]

    /// Enrols tracks.
    init(of references: [Track], in corpus: Corpus) throws {
        tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        let signatures = try ParallelMap.map(references.count, jobs: 2) { number in
            let track = references[number]
            return Reference(
                id: track.id, signature: try SignatureExtractor.signature(of: corpus.audio(of: track)))
        }
        catalog = try Catalog(references: signatures)
    }

    /// Where the recording `id` must be named when `source` is heard: how much later; nil when it is another one.
    func delta(of id: String, heard source: String) -> Double? {
        guard id != source else { return 0 }
        return tracks[source]?.classMembers.first { $0.id == id }.map { $0.offsetSeconds ?? .nan }
    }
}
