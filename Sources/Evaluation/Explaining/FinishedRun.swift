import Foundation
import Matchers

/// A finished run whose trials can be made again, to show them.
package struct FinishedRun {
    package let store: TrialStore
    package let key: TrialStore.RunKey
    package let facts: RunFacts
    /// The folder of the run.
    package let folder: String

    package init(_ store: TrialStore, _ key: TrialStore.RunKey, _ facts: RunFacts, folder: String) {
        self.store = store
        self.key = key
        self.facts = facts
        self.folder = folder
    }

    /// Makes the details that are missing for a report of `count` trials.
    ///
    /// - Parameters:
    ///   - open: Opens the plan of a stored request.
    ///   - contestant: Makes the matcher of a stored request.
    /// - Throws: ``StoreError`` if plan or matcher have changed. Also the errors of `open` and `contestant`.
    package func explain(
        _ count: Int, of trials: [JudgedTrial], open: (RunRequest) throws -> OpenedPlan,
        contestant: (MatcherRequest) throws -> Contestant, progress: @escaping EvaluationRun.Progress
    ) throws {
        let wanted = TrialChoice(count, of: trials, seed: facts.seed).trials.map(\.record.trial.id)
        if try store.names(of: .detail, in: key).isSuperset(of: wanted) { return }
        let opened = try open(facts.request)
        guard opened.plan.digest == key.plan else {
            throw StoreError(
                path: folder, message: "plan, corpus or noise has changed since the run; run it again")
        }
        let contestant = try contestant(facts.request.matcher)
        guard try contestant.answersDigest() == facts.matcher.digest else {
            throw StoreError(
                path: folder, message: "the matcher answers differently since the run; run it again")
        }
        // Without a cache: the size limit of the run's cache is not known here, and it must not shrink.
        var run = EvaluationRun(
            plan: opened.plan, material: opened.material, contestant: contestant,
            jobs: ProcessInfo.processInfo.activeProcessorCount, folder: folder, progress: progress)
        run.details = count
        try run.explain(store: store, key: key, facts: facts)
    }
}
