import Evaluation
import Foundation

/// A finished run whose trials are made again, to show them.
struct RunAgain {
    let store: TrialStore
    let key: TrialStore.RunKey
    let facts: RunFacts
    /// The folder of the run.
    let folder: String

    /// Makes the details that are missing, where corpus and matcher are as they were.
    ///
    /// - Returns: why that cannot be; nil when nothing is missing any more.
    func explain(_ count: Int, of trials: [JudgedTrial]) -> String? {
        do {
            let wanted = TrialChoice(count, of: trials, seed: facts.seed).trials.map(\.record.trialID)
            if try store.detailedTrials(of: key).isSuperset(of: wanted) { return nil }
            try explain(count)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func explain(_ count: Int) throws {
        let options = try RunOptions.of(facts)
        let (plan, material, _) = try options.plan.open()
        guard plan.digest == key.plan else {
            throw StoreError(
                path: folder, message: "plan, corpus or noise has changed since it was run; run it again")
        }
        let contestant = try options.matcher.contestant()
        guard try contestant.digest() == key.matcher else {
            throw StoreError(
                path: folder, message: "the matcher answers otherwise since it was run; run it again")
        }
        // Without a cache: how large that of the runs may be is not known here, and it must not shrink.
        var run = EvaluationRun(
            plan: plan, material: material, contestant: contestant,
            jobs: ProcessInfo.processInfo.activeProcessorCount, folder: folder,
            progress: ProgressDisplay().show(_:done:of:))
        run.details = count
        try run.explain(store: store, key: key, facts: facts)
    }
}
