import AudioCore
import Evaluation
import SystemIO

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
    }

    private let folder: StudyFolder
    private let key: TrialStore.RunKey
    private let shard: Shard?
    private let progress: EvaluationRun.Progress

    /// Begins or resumes a study in `folder`.
    ///
    /// - Parameters:
    ///   - identity: what decides the outcomes, apart from the matcher.
    ///   - isFresh: deletes earlier outcomes.
    /// - Throws: ``StoreError`` if the folder holds another shard of the study.
    package init(
        in folder: StudyFolder, facts: StudyFacts, identity: [String], isFresh: Bool = false,
        progress: @escaping EvaluationRun.Progress
    ) throws {
        self.folder = folder
        let store = folder.store
        key = TrialStore.RunKey(
            plan: Digest.sha256(identity.joined(separator: "\n")), matcher: facts.origin.matcher.digest)
        shard = facts.shard
        self.progress = progress
        if isFresh { try store.forget(key) }
        let known = try store.studies(StudyFacts.self).first { $0.key == key }?.facts
        if let known, known.shard != facts.shard {
            func name(_ shard: Shard?) -> String { shard.map { "shard \($0)" } ?? "the whole" }
            throw StoreError(
                path: folder.path,
                message: "holds \(name(known.shard)) of this study, not \(name(facts.shard)); "
                    + "choose another folder")
        }
        try store.save(studyFacts: facts, of: key)
    }

    /// The outcomes of `trials`, without those of other shards.
    ///
    /// - Parameter prepare: returns the function that runs the trial at a position; called only if one is pending.
    package func outcomes<Outcome: Codable & Sendable>(
        of trials: [Trial], stage: String, jobs: Int,
        prepare: () throws -> @Sendable (_ position: Int) throws -> Outcome
    ) throws -> [Outcome] {
        var kept = Dictionary(
            uniqueKeysWithValues: try folder.store.outcomes(
                Outcome.self, of: key, named: Set(trials.map(\.id))
            )
            .map { ($0.trial, $0.outcome) })
        let wanted = trials.indices.filter { shard?.holds(trialAt: $0) ?? true }
        let pending = wanted.filter { kept[trials[$0].id] == nil }
        if !pending.isEmpty {
            let ask = try prepare()
            let (store, key, progress) = (folder.store, key, progress)
            let done = wanted.count - pending.count
            let asked = try ParallelMap.map(
                bySource: pending.map { trials[$0].source }, jobs: jobs,
                progress: { progress(stage, done + $0, wanted.count) }
            ) { place in
                let outcome = try ask(pending[place])
                try store.save(outcome, of: trials[pending[place]].id, at: pending[place], in: key)
                return outcome
            }
            for (position, outcome) in zip(pending, asked) { kept[trials[position].id] = outcome }
        }
        return wanted.compactMap { kept[trials[$0].id] }
    }
}
