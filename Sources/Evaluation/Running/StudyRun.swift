import AudioCore
import Synchronization
import SystemIO

/// Runs the pending trials of one study, or of a plan, and stores each raw outcome at once.
package struct StudyRun: Sendable {
    /// A trial's name, unique in the study, and its source recording.
    package struct Trial: Sendable {
        package var id: String
        package var source: String

        package init(id: String, source: String = "") {
            self.id = id
            self.source = source
        }

        package init(_ trial: Evaluation.Trial) { self.init(id: trial.id, source: trial.source ?? "") }
    }

    /// The number of threads; it changes only times.
    package let jobs: Int
    package let progress: EvaluationRun.Progress
    private let store: TrialStore
    private let key: TrialStore.RunKey
    private let facts: RunFacts
    /// Keeps the lock; nil if the caller does.
    private var folder: RunFolder?

    /// Begins or resumes a study in the folder at `path`.
    ///
    /// - Parameter isFresh: Deletes earlier outcomes, also of a study that this one refuses.
    /// - Throws: ``StoreError`` if the folder holds another shard of the study. The refusal of another study.
    package init(
        of study: some Study, in path: String, origin: Provenance, shard: Shard? = nil,
        isFresh: Bool = false, jobs: Int, progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        let facts = try RunFacts(study, origin: origin, shard: shard)
        let folder = try RunFolder(path: path)
        let identity = try [type(of: study).name] + study.identity
        let key = TrialStore.RunKey(
            plan: Digest.sha256(identity.joined(separator: "\n")), matcher: origin.matcher.identity)
        for known in try folder.store.storedRuns() where known.facts.study?.name == facts.study?.name {
            let refusal = known.key == key ? nil : try study.refusal(of: known.facts, in: path)
            if isFresh, refusal != nil || known.key == key {
                try folder.store.forget(known.key)
            } else if let refusal {
                throw refusal
            }
        }
        try self.init(of: key, facts, in: folder.store, jobs: jobs, progress: progress)
        self.folder = folder
    }

    /// Begins or resumes a run in an open store.
    ///
    /// - Throws: ``StoreError`` if it holds another shard of the run.
    init(
        of key: TrialStore.RunKey, _ facts: RunFacts, in store: TrialStore, jobs: Int,
        progress: @escaping EvaluationRun.Progress
    ) throws {
        try store.begin(facts, of: key)
        self.key = key
        self.facts = facts
        self.store = store
        self.jobs = max(1, jobs)
        self.progress = progress
    }

    package var path: String { folder?.path ?? store.path }

    package func storedTrials() throws -> Set<String> { try store.finishedTrials(of: key) }

    /// The positions of the trials that are neither stored nor of another shard.
    func pending(of trials: [Trial]) throws -> [Int] {
        let stored = try storedTrials()
        return wanted(of: trials).filter { !stored.contains(trials[$0].id) }
    }

    private func wanted(of trials: [Trial]) -> [Int] {
        trials.indices.filter { facts.shard?.holds(trialAt: $0) ?? true }
    }

    /// Runs the pending trials and stores the outcome of each at once.
    ///
    /// - Parameters:
    ///   - isShuffled: Runs them in an order that nobody knows before, instead of by source.
    ///   - stages: Counts the time of storing.
    ///   - prepare: Returns the function that runs the trial at a position. It is called only if one is pending.
    package func finish<Outcome: Encodable & Sendable>(
        _ trials: [Trial], stage: String, jobs: Int? = nil, isShuffled: Bool = false,
        stages: StageClock = StageClock(),
        prepare: () throws -> @Sendable (_ position: Int) throws -> Outcome
    ) throws {
        let pending = try pending(of: trials)
        guard !pending.isEmpty else { return }
        let ask = try prepare()
        let count = wanted(of: trials).count
        let done = Atomic(count - pending.count)
        let jobs = jobs ?? self.jobs
        let chunks =
            isShuffled ? pending.shuffled().map { [$0] } : Self.chunks(of: pending, trials, jobs: jobs)
        _ = try ParallelMap.map(chunks.count, jobs: jobs) { number in
            for position in chunks[number] {
                let outcome = try ask(position)
                try stages.measure(.storing) {
                    try store.save(outcome, as: .trial, of: trials[position].id, at: position, in: key)
                }
                progress(stage, done.add(1, ordering: .relaxed).newValue, count)
            }
        }
    }

    /// Groups positions by source, so that each source is decoded once.
    ///
    /// Long groups are divided, so that no thread is idle at the end.
    private static func chunks(of positions: [Int], _ trials: [Trial], jobs: Int) -> [[Int]] {
        let longest = max(1, positions.count / jobs / 8)
        let groups = Dictionary(grouping: positions) { trials[$0].source }
        return groups.keys.sorted().flatMap { source -> [[Int]] in
            let group = groups[source] ?? []
            return stride(from: 0, to: group.count, by: longest).map {
                Array(group[$0..<min($0 + longest, group.count)])
            }
        }
    }

    /// The outcomes of `trials`, without those of other shards.
    ///
    /// The pending ones run first.
    package func outcomes<Outcome: Codable & Sendable>(
        of trials: [Trial], stage: String, jobs: Int? = nil,
        prepare: () throws -> @Sendable (_ position: Int) throws -> Outcome
    ) throws -> [Outcome] {
        try finish(trials, stage: stage, jobs: jobs, prepare: prepare)
        let stored = Dictionary(
            uniqueKeysWithValues: try store.contents(
                Outcome.self, as: .trial, in: key, named: Set(trials.map(\.id))
            )
            .map { ($0.trial, $0.content) })
        return wanted(of: trials).compactMap { stored[trials[$0].id] }
    }

    /// The outcome of one trial of a study that decides its trials as it goes.
    package func outcome<Outcome: Codable>(of trial: String, ask: () throws -> Outcome) throws -> Outcome {
        if let known = try store.content(Outcome.self, as: .trial, of: trial, in: key) { return known }
        let outcome = try ask()
        try store.save(outcome, as: .trial, of: trial, in: key)
        return outcome
    }

    /// The facts at the end: those stored, else what `make` returns.
    package func finalFacts(_ make: () throws -> RunFacts) throws -> RunFacts {
        if let known = try store.storedRuns().first(where: { $0.key == key })?.finished { return known }
        var facts = try make()
        facts.study = self.facts.study
        try store.save(facts, of: key)
        return facts
    }
}
