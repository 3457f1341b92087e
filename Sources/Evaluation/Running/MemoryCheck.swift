import AudioCore
import Metrics

/// Whether a matcher knows the queries of a plan, or keeps answers: some trials asked again, unchanged and as fresh cuts.
///
/// A fresh cut is of the same recording, with another start and another draw of chain and noise. An honest matcher finds as
/// many of both, at the same cost.
public struct MemoryCheck: Codable, Hashable, Sendable {
    /// The seed of the fresh cuts; each check draws another.
    package let seed: UInt64
    package var pairs: [Pair]

    /// A trial asked twice.
    package struct Pair: Codable, Hashable, Sendable {
        package var trial: String
        /// The class of its recording.
        package var cluster: String
        package var again: Answer
        package var fresh: Answer

        package init(trial: String, cluster: String, again: Answer, fresh: Answer) {
            self.trial = trial
            self.cluster = cluster
            self.again = again
            self.fresh = fresh
        }
    }

    package struct Answer: Codable, Hashable, Sendable {
        package var isRight: Bool
        /// Over all threads and processes of the matcher; nil if unknown.
        package var processorMilliseconds: Double?

        package init(isRight: Bool, processorMilliseconds: Double?) {
            self.isRight = isRight
            self.processorMilliseconds = processorMilliseconds
        }
    }

    package init(seed: UInt64, pairs: [Pair]) {
        self.seed = seed
        self.pairs = pairs
    }

    /// Both verdicts hold with this confidence, so that an honest matcher is suspected in one of some thousand checks.
    package static let confidence = 0.99
    /// A loss of recall up to this is no suspicion; a plan may have easy cuts.
    package static let recallMargin = 0.05
    /// Repeats may cost this much of fresh cuts, because the caches of a processor are warm.
    package static let costMargin = 0.75

    /// The recall of fresh cuts less that of repeats.
    package var recall: PairedDifference {
        PairedDifference(pairs.map { ($0.cluster, $0.again.isRight, $0.fresh.isRight) })
    }

    /// The processor time of repeats over that of fresh cuts.
    package var cost: ClusteredRatio {
        ClusteredRatio(
            pairs.compactMap { pair in
                pair.again.processorMilliseconds.flatMap { again in
                    pair.fresh.processorMilliseconds.map { (pair.cluster, again, $0) }
                }
            })
    }

    /// Why the matcher is suspected.
    package enum Suspicion: Sendable {
        /// It finds what the plan asks, and not what the plan could have asked.
        case knowsQueries
        /// It answers at once what it answered before.
        case keepsAnswers
    }

    package var suspicions: [Suspicion] {
        var found: [Suspicion] = []
        if let interval = recall.interval(confidence: Self.confidence), interval.upper < -Self.recallMargin {
            found.append(.knowsQueries)
        }
        if let interval = cost.interval(confidence: Self.confidence), interval.upper < Self.costMargin {
            found.append(.keepsAnswers)
        }
        return found
    }

    /// The trials to ask: a fifth of the positives of the whole catalog, at least 60 and at most 300.
    static func sample(of trials: [Trial], seed: UInt64) -> [Trial] {
        let positives = trials.filter { $0.isPositive && $0.fold == nil }
        var generator = SeededGenerator(seed: seed, "memory check")
        return Array(positives.shuffled(using: &generator).prefix(min(300, max(60, positives.count / 5))))
    }
}

extension TrialRunner {
    /// Asks a share of the trials of `plan` again, unchanged and as fresh cuts, one query at a time in one mixed order.
    ///
    /// Answers count in no figure but those of the check. A query that cannot be made or answered both times is left out.
    func checkMemory(
        of plan: Plan, shard: Shard?, seed: UInt64, store: TrialStore, key: TrialStore.RunKey
    ) throws -> MemoryCheck {
        let asked = plan.trials.filter { shard?.holds(trialAt: $0.index) ?? true }
        let sample = MemoryCheck.sample(of: asked, seed: seed)
        let drawn = try plan.redrawn(seed: seed)
        let names = Set(sample.map(\.id))
        let records = Dictionary(
            uniqueKeysWithValues: try store.records(of: key).filter { names.contains($0.trial.id) }
                .map { ($0.trial.id, $0) })
        let trials = sample.filter { records[$0.id].map { $0.isOffered && $0.notMeasured == nil } ?? false }
        // What the cache answered is new to this process.
        for trial in trials {
            guard let record = records[trial.id], record.cachedCommit != nil, let facts = record.query else {
                continue
            }
            _ = try? identify(queries.audio(of: trial, facts), record)
        }
        var generator = SeededGenerator(seed: seed, "order")
        let order = trials.indices.flatMap { [($0, true), ($0, false)] }.shuffled(using: &generator)
        var answers: [Bool: [Int: MemoryCheck.Answer]] = [:]
        for (done, (place, isFresh)) in order.enumerated() {
            progress("memory", done, order.count)
            guard let record = records[trials[place].id], let facts = record.query else { continue }
            do {
                let audio =
                    isFresh
                    ? try fresh(trials[place], facts, drawn) : try queries.audio(of: trials[place], facts)
                answers[isFresh, default: [:]][place] = try answer(to: audio, record)
            } catch is TrialError { continue }
        }
        return MemoryCheck(
            seed: seed,
            pairs: trials.indices.compactMap { place in
                guard let again = answers[false]?[place], let fresh = answers[true]?[place] else {
                    return nil
                }
                let record = records[trials[place].id]
                return .init(
                    trial: trials[place].id, cluster: record?.sourceClass ?? "", again: again, fresh: fresh)
            })
    }

    private func fresh(_ trial: Trial, _ facts: QueryFacts, _ drawn: [String: Trial]) throws -> AudioBuffer {
        guard let other = drawn[trial.id] else { return try freshQueries.near(trial, facts, number: 0) }
        return try queries.render(trial.fresh(as: other)).audio
    }

    /// A failure is no right answer.
    private func answer(to audio: AudioBuffer, _ record: TrialRecord) throws -> MemoryCheck.Answer {
        do {
            let timed = try identifyTimed(audio, record)
            let claim = timed.candidates.first(where: \.isAccepted)
            return .init(
                isRight: claim.map { record.truthReferences.contains($0.referenceID) } ?? false,
                processorMilliseconds: timed.processorMilliseconds)
        } catch let error as TrialError where error.cause == .matcher {
            return .init(isRight: false, processorMilliseconds: nil)
        }
    }
}
