import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers

/// Plays everything that is in no reference to a matcher, for hours, and counts what it names.
///
/// One half of the enrolled recordings is the catalog in use; negatives, noise and the other half are
/// played in the corpus's order as one stream for each chain. No passage comes twice under one chain.
package struct NegativeStudy: Sendable {
    /// The recordings.
    package var corpus: Corpus
    /// Recordings to mix in.
    package var material: CorpusMaterial
    /// Who listens.
    package var contestant: Contestant
    /// The half that is enrolled.
    package var half: CorpusHalf
    /// The chains, each a YAML list; all audio is played once under each.
    package var chains: [String]
    /// The seed of each draw of a chain; the recording's name is mixed in.
    package var seed: UInt64
    /// Sample frames in a block.
    package var blockFrames: Int
    /// The number of threads: so many chains are played at a time.
    package var jobs: Int
    /// Told each false match and how far a chain has come, in words; from any thread.
    package var note: @Sendable (String) -> Void

    /// Describes a study.
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

    /// Plays the chains that `file` does not hold yet, and keeps each there once it is finished.
    ///
    /// - Throws: ``MeasurementError`` when a chain comes twice, the contestant hears no streams, or there
    ///   is nothing to enrol or to play; ``ConfigurationError`` or `DegradationError` for a chain that
    ///   cannot be read.
    package func run(origin: MeasurementOrigin, keptIn file: NegativeStreamFile) throws -> NegativeStreams {
        let templates = try chains.map { try PlanFile.chain(text: $0) }
        for (number, template) in templates.enumerated() {
            if let same = templates[..<number].firstIndex(of: template) {
                throw MeasurementError(
                    "the chains \(chains[same]) and \(chains[number]) are the same: each passage would come twice"
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

        let matcher = try contestant.streaming(enrolled, of: corpus, jobs: jobs)
        _ = try ParallelMap.map(missing.count, jobs: jobs) { place in
            let number = missing[place]
            var player = try NegativePlayer(
                self, chain: chains[number], templates: templates[number], to: matcher)
            for track in played { try player.play(track) }
            try file.keep(player.finished())
        }
        return file.contents(of: asked)
    }
}
