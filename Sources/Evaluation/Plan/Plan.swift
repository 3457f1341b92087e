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
    /// SHA-256 over plan file, corpus lock, material, half, seed and the identities of all queries, in hexadecimal.
    public let digest: String
    /// The digest without a shift of starts.
    ///
    /// Plans that differ only in the shift have trials that can be paired.
    public let panelDigest: String
    package let trials: [Trial]
    package let recipe: QueryRecipe
    /// The identities of the queries of each cell, by ``Cell/slug``; a shift of starts is left out.
    package let queries: [String: QuerySet]
    /// What tells the query, truth and catalog of each trial from those of others: the beginning of a SHA-256 in hexadecimal.
    ///
    /// Names, order and a shift of starts are left out.
    package let trialDigests: [String]
    /// Cells, or their negatives, for which a folder corpus has no recording, with the reason.
    let leftOut: [PlanExpansion.LeftOut]
    /// Nil when the trials are made from a plan file.
    package let recorded: RecordedQueries?

    /// Expands `file` over the tracks of `corpus`.
    ///
    /// - Throws: ``ConfigurationError`` when a chain cannot be drawn, or a file of a chain cannot be read. Also when a
    ///   cell finds no track long enough, or there is no trial at all.
    package init(
        file: PlanFile, corpus: Corpus, material: CorpusMaterial, half: CorpusHalf? = nil, seed: UInt64? = nil
    ) throws {
        var file = file
        if let folds = corpus.foldsOfFew(for: file) { try file.override(negativeFolds: folds) }
        self.file = file
        // A corpus that is not divided is measured whole, for either half.
        let half = corpus.isDivided ? half ?? file.half : .test
        let seed = seed ?? file.seed
        self.half = half
        self.seed = seed

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
        recipe = QueryRecipe(corpus: self.corpus, material: material)
        (queries, trialDigests) = try Self.queries(
            trials, recipe, file, catalog: Self.catalog(self.corpus, file, half))
        let hash = Digest()
        let parts = [file.digest, corpus.lockDigest, half.rawValue, String(seed)]
        for part in parts + Self.lines(queries) { hash.update(part + "\n") }
        panelDigest = hash.finalize().hexadecimal
        // Without a shift both are equal.
        if file.startShiftFrames != 0 {
            hash.update("start shift \(file.startShiftFrames)\n")
        }
        digest = hash.finalize().hexadecimal
    }

    /// The queries of a cell, as their identities tell them from others.
    package struct QuerySet: Codable, Hashable, Sendable {
        /// SHA-256 over the identities of all queries, in hexadecimal.
        package var digest: String
        /// What decides the samples, in words or as a short digest, by the name of the part.
        package var parts: [String: String]
    }

    /// What the references without those of a fold are, by their names.
    static func catalog(_ corpus: Corpus, _ file: PlanFile, _ half: CorpusHalf) -> (Int?) -> String {
        {
            corpus.references(leavingOut: $0, of: file.negativeFolds, half: half).map(\.id).sorted().joined(
                separator: "\n")
        }
    }

    static func queries(
        _ trials: [Trial], _ recipe: QueryRecipe, _ file: PlanFile, catalog: (Int?) -> String
    ) throws -> (sets: [String: QuerySet], digests: [String]) {
        var hashes: [String: Digest] = [:]
        var parts: [String: [String: QuerySetPart]] = [:]
        var catalogs: [Int?: String] = [:]
        var digests: [String] = []
        for trial in trials {
            do {
                let slug = trial.cell.slug
                let hash = hashes[slug] ?? Digest()
                let identity = try recipe.identity(of: trial)
                let digest = QueryRecipe.digest(identity)
                hash.update("\(trial.id) \(digest)\n")
                hashes[slug] = hash
                for part in identity { parts[slug, default: [:]][part.name, default: .none].add(part) }
                let enrolled = catalogs[trial.fold] ?? Digest.sha256(catalog(trial.fold))
                catalogs[trial.fold] = enrolled
                let whole = [digest, enrolled, "\(trial.isPositive)"] + (trial.recorded?.truthParts ?? [])
                digests.append(String(Digest.sha256(whole.joined(separator: "\n")).prefix(12)))
            } catch {
                throw ConfigurationError(file: file.path, line: nil, message: "\(trial.cell.slug): \(error)")
            }
        }
        let sets = hashes.map { slug, hash in
            let words = (parts[slug] ?? [:]).mapValues(\.words)
            return (slug, QuerySet(digest: hash.finalize().hexadecimal, parts: words))
        }
        return (Dictionary(uniqueKeysWithValues: sets), digests)
    }

    /// What all queries of a cell have for one part.
    private enum QuerySetPart {
        case none
        case one(QueryRecipe.Part)
        case several(Digest)

        mutating func add(_ part: QueryRecipe.Part) {
            switch self {
            case .none: self = .one(part)
            case .one(part): break
            case .one(let first):
                let hash = Digest()
                for part in [first, part] { hash.update(part.content + "\n") }
                self = .several(hash)
            case .several(let hash): hash.update(part.content + "\n")
            }
        }

        var words: String {
            switch self {
            case .none: ""
            case .one(let part): part.words
            case .several(let hash): String(hash.finalize().hexadecimal.prefix(12))
            }
        }
    }

    static func lines(_ queries: [String: QuerySet]) -> [String] {
        queries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.digest)" }
    }

    package func references(leavingOut fold: Int?) -> [Track] {
        corpus.references(leavingOut: fold, of: file.negativeFolds, half: half)
    }

    package var cellCount: Int { Set(trials.map(\.cell)).count }

    package var folds: [Int] { Set(trials.compactMap(\.fold)).sorted() }

    package func trial(named id: String) -> Trial? { trials.first { $0.id == id } }

    /// - Throws: ``ConfigurationError`` when there is no such trial.
    public func requiredTrial(named id: String) throws -> Trial {
        guard let trial = trial(named: id) else {
            throw ConfigurationError(
                file: file.path, line: nil,
                message: "the plan has no trial called \(id)\(trials.map(\.id).suggestion(for: id))")
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
