import AudioCore
import Degradations

/// Collects trials while a plan is expanded.
struct PlanExpansion {
    let file: PlanFile
    let corpus: Corpus
    let half: CorpusHalf
    let seed: UInt64
    private(set) var trials: [Trial] = []
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
        let positives = family.isSilence ? .trials(0) : family.positives ?? file.positives
        let negatives = family.negatives ?? file.negatives
        try add(positives, isPositive: true, member, of: family)
        try add(negatives, isPositive: false, member, of: family)
    }

    private mutating func add(
        _ quota: Quota, isPositive: Bool, _ member: PlanFile.Member, of family: PlanFile.Family
    ) throws {
        guard !quota.isEmpty else { return }
        let slug = member.cell.slug
        let kind = isPositive ? "p" : "n"
        var deck: [Track] = []
        if !family.isSilence {
            deck = try self.deck(isPositive: isPositive, member, of: family)
            var shuffler = SeededGenerator(seed: seed, slug, kind, "tracks")
            deck.shuffle(using: &shuffler)
        }
        for number in 0..<quota.count(tracks: deck.count) {
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
            let source = deck.isEmpty ? nil : deck[number % deck.count]
            trials.append(
                Trial(
                    id: id, index: trials.count, cell: member.cell, isPositive: isPositive,
                    source: source?.id, chain: chain, startSeed: seeds.next(),
                    fold: isPositive ? nil : source.flatMap(fold)))
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
        var classes: Set<String> = []
        let deck = corpus.tracks.filter { track in
            (isPositive ? canBePositive(track) : canBeNegative(track))
                && track.durationSeconds >= neededSeconds
                && (track.copy != nil || classes.insert(track.classID).inserted)
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

    /// Where tracks are copied only the copies are asked for.
    private func canBePositive(_ track: Track) -> Bool {
        track.role == .enrolled(half) && (file.speedCopies == nil || track.copy != nil)
    }

    private func canBeNegative(_ track: Track) -> Bool { track.role == .negative || fold(of: track) != nil }

    /// The fold that a track is left out with, where the plan has folds.
    private func fold(of track: Track) -> Int? {
        track.role == .enrolled(half) ? file.negativeFolds?.fold(ofClass: track.classID) : nil
    }
}
