import AudioCore
import Evaluation
import SystemIO

/// An experiment whose raw outcomes a ``StudyRun`` stores.
package protocol Study {
    associatedtype Settings: Codable

    /// The name of its command, or of the part of a command that it is.
    static var name: String { get }
    /// What a report needs beside the outcomes.
    var settings: Settings { get }
    /// What decides the outcomes, apart from the matcher.
    var identity: [String] { get throws }
    /// The number of trials in all shards.
    var trialCount: Int { get throws }
    /// The error for another study of this name in the folder at `path`; nil if both may stay there.
    func refusal(of other: StudyFacts, in path: String) throws -> (any Error)?
}

extension Study {
    package func refusal(of other: StudyFacts, in path: String) throws -> (any Error)? { nil }
}

/// Runs the pending trials of one study and stores each raw outcome at once.
package struct StudyRun: Sendable {
    /// A trial's name, unique in the study, and its source recording.
    package struct Trial: Sendable {
        package var id: String
        package var source: String

        package init(id: String, source: String = "") {
            self.id = id
            self.source = source
        }

        init(_ trial: Evaluation.Trial) { self.init(id: trial.id, source: trial.source ?? "") }
    }

    /// The number of threads; it changes only times.
    let jobs: Int
    let progress: EvaluationRun.Progress
    private let folder: StudyFolder
    private let key: TrialStore.RunKey
    private let shard: Shard?

    /// Begins or resumes a study in the folder at `path`.
    ///
    /// - Parameter isFresh: deletes earlier outcomes, also of a study that this one refuses.
    /// - Throws: ``StoreError`` if the folder holds another shard of the study. The refusal of another study.
    package init(
        of study: some Study, in path: String, origin: Provenance, shard: Shard? = nil,
        isFresh: Bool = false, jobs: Int, progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        let facts = try StudyFacts(study, origin: origin, shard: shard)
        folder = try StudyFolder(path: path)
        let identity = try [facts.study] + study.identity
        key = TrialStore.RunKey(
            plan: Digest.sha256(identity.joined(separator: "\n")), matcher: origin.matcher.identity)
        self.shard = shard
        self.jobs = max(1, jobs)
        self.progress = progress
        for known in try folder.store.facts(StudyFacts.self, as: .study)
        where known.facts.study == facts.study {
            let refusal = known.key == key ? nil : try study.refusal(of: known.facts, in: path)
            if isFresh, refusal != nil || known.key == key {
                try folder.store.forget(known.key)
            } else if let refusal {
                throw refusal
            } else if known.key == key, known.facts.shard != shard {
                func name(_ shard: Shard?) -> String { shard.map { "shard \($0)" } ?? "the whole" }
                throw StoreError(
                    path: path,
                    message: "holds \(name(known.facts.shard)) of this study, not \(name(shard)); "
                        + "choose another folder")
            }
        }
        try folder.store.save(facts, as: .study, in: key)
    }

    package var path: String { folder.path }

    package func storedTrials() throws -> Set<String> { try folder.store.names(of: .outcome, in: key) }

    /// The outcomes of `trials`, without those of other shards.
    ///
    /// - Parameter prepare: returns the function that runs the trial at a position; called only if one is pending.
    package func outcomes<Outcome: Codable & Sendable>(
        of trials: [Trial], stage: String, jobs: Int? = nil,
        prepare: () throws -> @Sendable (_ position: Int) throws -> Outcome
    ) throws -> [Outcome] {
        var kept = Dictionary(
            uniqueKeysWithValues: try folder.store.contents(
                Outcome.self, as: .outcome, in: key, named: Set(trials.map(\.id))
            )
            .map { ($0.trial, $0.content) })
        let wanted = trials.indices.filter { shard?.holds(trialAt: $0) ?? true }
        let pending = wanted.filter { kept[trials[$0].id] == nil }
        if !pending.isEmpty {
            let ask = try prepare()
            let (store, key, progress) = (folder.store, key, progress)
            let done = wanted.count - pending.count
            let asked = try ParallelMap.map(
                bySource: pending.map { trials[$0].source }, jobs: jobs ?? self.jobs,
                progress: { progress(stage, done + $0, wanted.count) }
            ) { place in
                let outcome = try ask(pending[place])
                try store.save(
                    outcome, as: .outcome, of: trials[pending[place]].id, at: pending[place], in: key)
                return outcome
            }
            for (position, outcome) in zip(pending, asked) { kept[trials[position].id] = outcome }
        }
        return wanted.compactMap { kept[trials[$0].id] }
    }

    /// The outcome of one trial of a study that decides its trials as it goes.
    package func outcome<Outcome: Codable>(of trial: String, ask: () throws -> Outcome) throws -> Outcome {
        if let known = try folder.store.content(Outcome.self, as: .outcome, of: trial, in: key) {
            return known
        }
        let outcome = try ask()
        try folder.store.save(outcome, as: .outcome, of: trial, in: key)
        return outcome
    }
}
