import AudioCore
import Corpora
import Degradations
import SystemIO

/// Collects the batches of a plan, and makes trials once their number is known to be bounded.
struct PlanExpansion {
    let file: PlanFile
    let corpus: Corpus
    let half: CorpusHalf
    let seed: UInt64
    private var batches: [Batch] = []
    private var trialCount = 0
    private var names: Set<String> = []
    private let foldOf: (@Sendable (Track) -> Int)?
    private(set) var leftOut: [LeftOut] = []

    struct LeftOut: Hashable, Sendable {
        let cell: String
        let reason: String
    }

    private struct Batch {
        let member: PlanFile.Member
        /// What random choices are drawn by: the name of the cell, or of the family if its cells share them.
        let drawName: String
        let line: Int
        let isPositive: Bool
        let tracks: [Track]
        let count: Int
    }

    /// A trial of a plan takes about 1 kB of memory, one in a report 3 kB.
    private static let mostTrials = 2_000_000

    init(file: PlanFile, corpus: Corpus, half: CorpusHalf, seed: UInt64) {
        self.file = file
        self.corpus = corpus
        self.half = half
        self.seed = seed
        foldOf = file.negativeFolds.map(corpus.fold(in:))
    }

    mutating func add(_ member: PlanFile.Member, of family: PlanFile.Family) throws {
        let slug = member.cell.slug
        guard names.insert(slug).inserted else {
            throw ConfigurationError(
                file: file.path, line: family.line, message: "two cells are both called \(slug)")
        }
        for isPositive in [true, false] {
            try add(
                family.quota(isPositive: isPositive, in: file), isPositive: isPositive, member, of: family)
        }
    }

    private mutating func add(
        _ quota: Quota, isPositive: Bool, _ member: PlanFile.Member, of family: PlanFile.Family
    ) throws {
        guard !quota.isEmpty else { return }
        let drawName = family.sharesCuts ? "\(SystemIO.slug(family.name)), all cells" : member.cell.slug
        var tracks: [Track] = []
        if !family.isSilence {
            let needed = try neededSeconds(of: member, of: family)
            tracks = self.tracks(isPositive: isPositive, on: family.rung, atLeast: needed)
            if tracks.isEmpty {
                let kind =
                    family.rung.map { "\"\($0.rawValue)\"" } ?? (isPositive ? "enrolled" : "negative")
                let missing =
                    "no \(kind) track (\(half.rawValue) half) of at least "
                    + "\(formatNumber(needed)) s"
                guard corpus.folder == nil else {
                    leftOut.append(LeftOut(cell: member.cell.slug, reason: missing))
                    return
                }
                throw ConfigurationError(
                    file: file.path, line: family.line,
                    message: "corpus \(corpus.name) has \(missing) for \(member.cell.slug)")
            }
            var shuffler = SeededGenerator(seed: seed, drawName, isPositive ? "p" : "n", "tracks")
            tracks.shuffle(using: &shuffler)
        }
        let count = quota.count(tracks: tracks.count)
        trialCount += count
        guard trialCount <= Self.mostTrials else {
            throw ConfigurationError(
                file: file.path, line: family.line,
                message: "with \(member.cell.slug) the plan holds \(trialCount) trials or more; "
                    + "at most \(Self.mostTrials) can be run at once. Divide it into plans of fewer trials")
        }
        batches.append(
            Batch(
                member: member, drawName: drawName, line: family.line, isPositive: isPositive, tracks: tracks,
                count: count))
    }

    func trials() throws -> [Trial] {
        var trials: [Trial] = []
        trials.reserveCapacity(trialCount)
        for batch in batches {
            for number in 0..<batch.count {
                trials.append(try trial(number, of: batch, index: trials.count))
            }
        }
        return trials
    }

    private func trial(_ number: Int, of batch: Batch, index: Int) throws -> Trial {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        let name = "/\(batch.isPositive ? "p" : "n")\(padded)"
        let (id, drawName) = (batch.member.cell.slug + name, batch.drawName + name)
        var generator = SeededGenerator(seed: seed, drawName, "chain")
        let chain: DegradationChain
        do {
            chain = DegradationChain(steps: try batch.member.chain.map { try $0.draw(using: &generator) })
        } catch {
            throw ConfigurationError(file: file.path, line: batch.line, message: "\(error)")
        }
        var seeds = SeededGenerator(seed: seed, drawName, "start")
        let source = batch.tracks.isEmpty ? nil : batch.tracks[number % batch.tracks.count]
        var trial = Trial(
            id: id, index: index, cell: batch.member.cell, isPositive: batch.isPositive,
            source: source?.id, chain: chain, startSeed: seeds.next(),
            fold: batch.isPositive ? nil : source.flatMap { fold(of: $0, on: batch.member.cell.rung) })
        trial.startShiftFrames = file.startShiftFrames
        return trial
    }

    private func neededSeconds(of member: PlanFile.Member, of family: PlanFile.Family) throws -> Double {
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
        return neededSeconds
    }

    /// One track per equivalence class, each long enough.
    private func tracks(isPositive: Bool, on rung: Rung?, atLeast neededSeconds: Double) -> [Track] {
        var classes: Set<String> = []
        return corpus.tracks.filter { track in
            (rung.map { track.rendition == $0.rendition && track.half == half }
                ?? (isPositive ? canBePositive(track) : canBeNegative(track)))
                && track.durationSeconds >= neededSeconds
                && (track.copy != nil || classes.insert(track.classID).inserted)
        }
    }

    /// If tracks are copied, only the copies give positives.
    private func canBePositive(_ track: Track) -> Bool {
        track.role == .enrolled(half) && (file.speedCopies == nil || track.copy != nil)
    }

    private func canBeNegative(_ track: Track) -> Bool {
        (track.role == .negative && track.half == half && track.rendition == nil)
            || fold(of: track, on: nil) != nil
    }

    /// The fold that a track is left out with, where the plan has folds.
    private func fold(of track: Track, on rung: Rung?) -> Int? {
        (rung?.leavesOutPiece ?? (track.role == .enrolled(half))) ? foldOf?(track) : nil
    }
}
