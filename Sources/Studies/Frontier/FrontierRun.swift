import AudioCore
import Corpora
import Evaluation
import Matchers
import Synchronization

/// Searches the limits of all queries of a plan, and stores every answer, so that a killed search resumes.
package struct FrontierRun: Sendable {
    package var plan: FrontierPlan
    package var material: CorpusMaterial
    package var contestant: Contestant
    package var jobs: Int
    /// Called as work proceeds, from any thread.
    package var progress: EvaluationRun.Progress

    package init(
        plan: FrontierPlan, material: CorpusMaterial, contestant: Contestant, jobs: Int,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) {
        self.plan = plan
        self.material = material
        self.contestant = contestant
        self.jobs = max(1, jobs)
        self.progress = progress
    }

    /// Asks for the answers that `store` lacks, and returns the result of all.
    ///
    /// - Parameter facts: The facts at the start; this function adds figures about the search.
    /// - Throws: ``StoreError`` when answers cannot be stored, ``ConfigurationError`` for a severity whose format is
    ///   not offered, or the error of a recording that cannot be decoded.
    package func run(store: TrialStore, key: TrialStore.RunKey, facts: RunFacts) throws -> FrontierResult {
        let clock = ContinuousClock()
        let began = clock.now
        let known = Dictionary(
            try store.records(of: key).map { ($0.trial.id, $0) }, uniquingKeysWith: { $1 })
        if let finished = try store.runs().first(where: { $0.key == key })?.facts {
            return try plan.result(of: known, facts: finished)
        }
        let bench = try MatcherBench(
            corpus: plan.base.corpus, material: material, contestant: contestant, jobs: jobs,
            progress: progress)
        let queries = plan.base.trials
        let records = Mutex(known)
        let axes = plan.file.axes.count
        _ = try ParallelMap.map(
            bySource: queries.map { $0.source ?? "" }, jobs: jobs,
            progress: { progress("queries", $0, queries.count) }
        ) { query in
            let recording = try queries[query].source.map { try bench.recording($0) }
            let start = try recording.map { try plan.startFrame(of: query, in: $0) }
            for axis in 0..<axes {
                _ = try plan.search(query: query, axis: axis).run { rung in
                    let id = plan.trialID(query: query, axis: axis, rung: rung)
                    if let record = known[id] { return try plan.isFound(record, axis: axis) }
                    var trial = try plan.trial(query: query, axis: axis, rung: rung)
                    trial.startFrame = start
                    let record = try bench.record(trial)
                    let answer = try plan.isFound(record, axis: axis)
                    try store.save(record, of: key)
                    records.withLock { $0[id] = record }
                    return answer
                }
            }
        }
        var facts = facts
        let references = plan.base.references(leavingOut: nil)
        facts.indexBytes = bench.cost.indexBytes
        facts.enrolSeconds = bench.cost.enrolSeconds
        facts.decodeSecondsTotal = bench.cost.decodeSeconds
        facts.decodedAudioSeconds = bench.cost.audioSeconds
        facts.referenceCount = references.count
        facts.referenceSeconds = references.reduce(0) { $0 + $1.durationSeconds }
        let all = records.withLock { $0 }
        facts.trialCount = all.count
        facts.wallSeconds = (clock.now - began).seconds
        let result = try plan.result(of: all, facts: facts)
        try store.save(facts, of: key)
        return result
    }
}
