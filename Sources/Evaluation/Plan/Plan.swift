import AudioCore
import Corpora
import Degradations
import Foundation
import SystemIO

/// Every trial of a run, in order: a pure function of the corpus lock, the plan file and the seed.
public struct Plan: Sendable {
    package let file: PlanFile
    package let half: CorpusHalf
    package let seed: UInt64
    package let corpus: Corpus
    /// SHA-256 over plan file, corpus lock, material, half and seed, in hexadecimal.
    public let digest: String
    /// The digest without a shift of starts.
    ///
    /// Plans that differ only in the shift have trials that can be paired.
    public let panelDigest: String
    package let materialDigest: String
    package let trials: [Trial]
    /// Cells, or their negatives, for which a folder corpus has no recording, with the reason.
    let leftOut: [PlanExpansion.LeftOut]
    /// Nil when the trials are made from a plan file.
    package let recorded: RecordedQueries?

    /// Expands `file` over the tracks of `corpus`.
    ///
    /// - Throws: ``ConfigurationError`` when a chain cannot be drawn, a cell finds no track long
    ///   enough, or there is no trial at all.
    package init(
        file: PlanFile, corpus: Corpus, material: CorpusMaterial, half: CorpusHalf? = nil, seed: UInt64? = nil
    ) throws {
        var file = file
        if let folds = corpus.foldsOfFew(for: file) { try file.override(negativeFolds: folds) }
        self.file = file
        // A corpus that is too small to divide is measured whole, for either half.
        let half = corpus.isDivided ? half ?? file.half : .test
        let seed = seed ?? file.seed
        self.half = half
        self.seed = seed
        materialDigest = material.digest
        let hash = Digest()
        for part in [file.digest, corpus.lockDigest, material.digest, half.rawValue, String(seed)] {
            hash.update((part + "\n"))
        }
        panelDigest = hash.finalize().hexadecimal
        // Without a shift both are equal, as in versions that had no shifts.
        if file.startShiftFrames != 0 {
            hash.update("start shift \(file.startShiftFrames)\n")
        }
        digest = hash.finalize().hexadecimal

        self.corpus =
            try file.speedCopies.map { try corpus.copying($0, half: half, seed: seed) } ?? corpus
        var expansion = PlanExpansion(file: file, corpus: self.corpus, half: half, seed: seed)
        for family in file.families {
            for member in family.members { try expansion.add(member, of: family) }
        }
        trials = try expansion.trials()
        leftOut = expansion.leftOut
        recorded = nil
        if trials.isEmpty {
            let why = Set(leftOut.map(\.reason)).sorted().map { "; \(corpus.name) has \($0)" }
            throw ConfigurationError(
                file: file.path, line: 1, message: "the plan holds no trial" + why.joined())
        }
    }

    package func references(leavingOut fold: Int?) -> [Track] {
        corpus.references(leavingOut: fold, of: file.negativeFolds, half: half)
    }

    package var folds: [Int] { Set(trials.compactMap(\.fold)).sorted() }

    package func trial(named id: String) -> Trial? { trials.first { $0.id == id } }

    /// - Throws: ``ConfigurationError`` when there is no such trial.
    public func requiredTrial(named id: String) throws -> Trial {
        guard let trial = trial(named: id) else {
            throw ConfigurationError(
                file: file.path, line: nil, message: "the plan has no trial called \(id)")
        }
        return trial
    }

    /// At most `limit` trials drawn by the plan's seed, for the latency pass; in plan order.
    public func latencySample(limit: Int) -> [Trial] {
        let offered = trials.indices
        guard offered.count > limit else { return trials }
        var generator = SeededGenerator(seed: seed, "latency")
        return offered.shuffled(using: &generator).prefix(limit).sorted().map { trials[$0] }
    }
}
