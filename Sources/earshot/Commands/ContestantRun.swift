import Corpora
import Evaluation
import Matchers

/// One contestant put through a plan, into a run folder of its own; goes on where an earlier one was broken off.
struct ContestantRun {
    let plan: Plan
    let material: CorpusMaterial
    let contestant: Contestant
    let jobs: Int
    var shard: Shard?
    let cache: TrialCache?
    /// How many trials are explained for the report.
    var details = 0
    /// The options that choose the plan, as one would type them.
    let planArguments: String
    /// The options that choose the contestant, as a program gets them.
    let matcherArguments: [String]

    /// Runs what the folder does not hold yet, and gives all of it.
    func run(
        in folder: String, key: TrialStore.RunKey, isFresh: Bool
    ) throws -> (folder: RunFolder, records: [TrialRecord], facts: RunFacts) {
        let runFolder = try RunFolder(path: folder)
        if isFresh { try runFolder.store.forget(key) }
        let known = try runFolder.store.finishedTrials(of: key).count
        if known > 0 {
            StandardError.print("\(known) trials are in \(folder) already; --fresh measures them again")
        }
        var run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: jobs, folder: folder, shard: shard,
            cache: cache, progress: ProgressDisplay().show(_:done:of:))
        run.details = details
        var start = try RunFacts(
            plan: plan, corpus: plan.corpus, contestant: contestant, key: key, jobs: jobs,
            commandLine: planArguments, notes: plan.notes(material: material))
        start.evaluateArguments = ([planArguments] + matcherArguments.map(ShellWord.quoted))
            .filter { !$0.isEmpty }.joined(separator: " ")
        let facts = try run.run(store: runFolder.store, key: key, facts: start)
        // A run that was finished before may show fewer trials than are asked for now.
        try run.explain(store: runFolder.store, key: key, facts: facts)
        return (runFolder, try runFolder.store.records(of: key), facts)
    }
}
