import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers

/// Plays hours of audio that is in no reference to a matcher, and counts false matches.
///
/// The catalog is one half of the enrolled recordings. Negatives, noise and the other half are played as one
/// stream for each chain, in the order of the corpus. No passage occurs twice in one chain.
package struct NegativeStudy: Sendable {
    package var corpus: Corpus
    /// The recordings to mix in.
    package var material: CorpusMaterial
    package var contestant: Contestant
    package var half: CorpusHalf
    /// The chains, each a YAML list; all audio is played once through each.
    package var chains: [String]
    /// The seed of each draw of a chain, together with the recording's name.
    package var seed: UInt64
    /// Sample frames in a block.
    package var blockFrames: Int
    /// The number of chains played at a time.
    package var jobs: Int
    /// Receives each false match and the progress of each chain as text, from any thread.
    package var note: @Sendable (String) -> Void

    package init(
        corpus: Corpus, material: CorpusMaterial, contestant: Contestant, half: CorpusHalf, chains: [String],
        seed: UInt64, blockFrames: Int, jobs: Int, note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.corpus = corpus
        self.material = material
        self.contestant = contestant
        self.half = half
        self.chains = chains
        self.seed = seed
        self.blockFrames = blockFrames
        self.jobs = max(1, jobs)
        self.note = note
    }

    /// Plays the chains that `file` lacks, and stores each finished chain there.
    ///
    /// - Throws: ``MeasurementError`` if two chains are equal or the contestant accepts no streams, or if there is
    ///   nothing to enrol or play. ``ConfigurationError`` or `DegradationError` if a chain cannot be read.
    package func run(origin: Provenance, keptIn file: NegativeStreamFile) throws -> NegativeStreams {
        let templates = try chains.map { try PlanFile.chain(text: $0) }
        for (number, template) in templates.enumerated() {
            if let same = templates[..<number].firstIndex(of: template) {
                throw MeasurementError(
                    "the chains \(chains[same]) and \(chains[number]) are the same; remove one"
                )
            }
        }
        let enrolled = corpus.tracks.filter { $0.role == .enrolled(half) }
        let classes = Set(enrolled.map(\.classID))
        let played = corpus.tracks.filter {
            $0.role != .enrolled(half) && !classes.contains($0.classID) && $0.durationSeconds > 2
        }
        guard !enrolled.isEmpty, !played.isEmpty else {
            throw MeasurementError(
                "the corpus \(corpus.name) has \(enrolled.count) recordings of the \(half.rawValue) half to enrol and "
                    + "\(played.count) to play; expected some of both")
        }
        let asked = NegativeStreams(
            origin: origin, materialDigest: material.digest, blockFrames: blockFrames,
            referenceCount: enrolled.count,
            referenceSeconds: enrolled.reduce(0) { $0 + $1.durationSeconds }, chains: [])
        try file.begin(asked, chains: chains)
        let missing = chains.indices.filter { !file.holds(chains[$0]) }
        if missing.count < chains.count {
            note("\(chains.count - missing.count) of \(chains.count) chains are in \(file.path) already")
        }
        guard !missing.isEmpty else { return file.contents(of: asked) }

        let startStream = try contestant.streaming(enrolled, of: corpus, jobs: jobs)
        _ = try ParallelMap.map(missing.count, jobs: jobs) { place in
            let number = missing[place]
            var player = try NegativePlayer(
                self, chain: chains[number], templates: templates[number], to: startStream)
            for track in played { try player.play(track) }
            try file.keep(player.finished())
        }
        return file.contents(of: asked)
    }
}
