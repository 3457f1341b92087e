import AudioCore
import Crypto
import Degradations
import Foundation

/// Every trial of a run, in order: a pure function of the corpus lock, the plan file and the seed.
public struct Plan: Sendable {
    /// The declaration it was expanded from.
    public let file: PlanFile
    /// The half of the enrolled tracks that positives are cut from.
    public let half: CorpusHalf
    /// The seed of every random choice.
    public let seed: UInt64
    /// SHA-256 over plan file, corpus lock, material, half and seed, in hexadecimal.
    public let digest: String
    /// The trials, cell by cell.
    public let trials: [Trial]

    /// Expands `file` over the tracks of `corpus`.
    ///
    /// - Throws: ``ConfigurationError`` when a chain cannot be drawn, a cell finds no track long
    ///   enough, or there is no trial at all.
    public init(
        file: PlanFile, corpus: Corpus, material: CorpusMaterial, half: CorpusHalf? = nil, seed: UInt64? = nil
    ) throws {
        self.file = file
        self.half = half ?? file.half
        self.seed = seed ?? file.seed
        var hash = SHA256()
        for part in [file.digest, corpus.lockDigest, material.digest, self.half.rawValue, String(self.seed)] {
            hash.update(data: Data((part + "\n").utf8))
        }
        digest = hash.finalize().hexadecimal

        var expansion = PlanExpansion(file: file, corpus: corpus, half: self.half, seed: self.seed)
        for family in file.families {
            for member in family.members { try expansion.add(member, of: family) }
        }
        trials = expansion.trials
        if trials.isEmpty {
            throw ConfigurationError(file: file.path, line: 1, message: "the plan holds no trial")
        }
    }

    /// The trial called `id`, if there is one.
    public func trial(named id: String) -> Trial? { trials.first { $0.id == id } }

    /// At most `limit` trials drawn by the plan's seed, for the latency pass; in plan order.
    public func latencySample(limit: Int) -> [Trial] {
        let offered = trials.indices
        guard offered.count > limit else { return trials }
        var generator = SeededGenerator(seed: seed, "latency")
        return offered.shuffled(using: &generator).prefix(limit).sorted().map { trials[$0] }
    }
}

/// Collects trials while a plan is expanded.
private struct PlanExpansion {
    let file: PlanFile
    let corpus: Corpus
    let half: CorpusHalf
    let seed: UInt64
    var trials: [Trial] = []
    private var names: Set<String> = []

    init(file: PlanFile, corpus: Corpus, half: CorpusHalf, seed: UInt64) {
        self.file = file
        self.corpus = corpus
        self.half = half
        self.seed = seed
    }

    mutating func add(_ member: PlanFile.Member, of family: PlanFile.Family) throws {
        let slug = member.cell.slug
        guard names.insert(slug).inserted else {
            throw ConfigurationError(
                file: file.path, line: family.line, message: "two cells are both called \(slug)")
        }
        let positives = family.isSilence ? 0 : family.positives ?? file.positivesPerCell
        let negatives = family.negatives ?? file.negativesPerCell
        try add(count: positives, isPositive: true, member, of: family)
        try add(count: negatives, isPositive: false, member, of: family)
    }

    private mutating func add(
        count: Int, isPositive: Bool, _ member: PlanFile.Member, of family: PlanFile.Family
    ) throws {
        guard count > 0 else { return }
        let slug = member.cell.slug
        let kind = isPositive ? "p" : "n"
        var deck: [Track] = []
        if !family.isSilence {
            deck = try self.deck(isPositive: isPositive, member, of: family)
            var shuffler = SeededGenerator(seed: seed, slug, kind, "tracks")
            deck.shuffle(using: &shuffler)
        }
        for number in 0..<count {
            let digits = String(number)
            let id = "\(slug)/\(kind)\(String(repeating: "0", count: max(0, 3 - digits.count)))\(digits)"
            var generator = SeededGenerator(seed: seed, id, "chain")
            let chain: DegradationChain
            do {
                chain = DegradationChain(steps: try member.chain.map { try $0.draw(using: &generator) })
            } catch {
                throw ConfigurationError(file: file.path, line: family.line, message: "\(error)")
            }
            var seeds = SeededGenerator(seed: seed, id, "start")
            trials.append(
                Trial(
                    id: id, index: trials.count, cell: member.cell, isPositive: isPositive,
                    source: deck.isEmpty ? nil : deck[number % deck.count].id, chain: chain,
                    startSeed: seeds.next()))
        }
    }

    /// One track per equivalence class, each long enough for the longest draw of the chain.
    private func deck(isPositive: Bool, _ member: PlanFile.Member, of family: PlanFile.Family) throws
        -> [Track]
    {
        var generator = SeededGenerator(seed: seed, "length")
        var neededSeconds = member.cell.lengthSeconds
        do {
            for _ in 0..<16 {
                let chain = DegradationChain(steps: try member.chain.map { try $0.draw(using: &generator) })
                neededSeconds = max(neededSeconds, chain.sourceSeconds(forSeconds: member.cell.lengthSeconds))
            }
        } catch {
            throw ConfigurationError(file: file.path, line: family.line, message: "\(error)")
        }
        let wanted: TrackRole = isPositive ? .enrolled(half) : .negative
        var classes: Set<String> = []
        let deck = corpus.tracks.filter {
            $0.role == wanted && $0.durationSeconds >= neededSeconds && classes.insert($0.classID).inserted
        }
        if deck.isEmpty {
            throw ConfigurationError(
                file: file.path, line: family.line,
                message:
                    "corpus \(corpus.name) has no \(isPositive ? "enrolled (\(half.rawValue) half)" : "negative") "
                    + "track of at least \(formatNumber(neededSeconds)) s for \(member.cell.slug)")
        }
        return deck
    }
}

extension Sequence where Element == UInt8 {
    /// Two lower-case hexadecimal digits a byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
