import AudioCore
import Matchers

extension EvaluationRun {
    /// Makes and stores the details that a finished run still lacks.
    ///
    /// - Parameter facts: The facts of the run.
    /// - Throws: ``StoreError`` when details cannot be stored, or the error of a reference that cannot be decoded or
    ///   enrolled.
    package func explain(store: TrialStore, key: TrialStore.RunKey, facts: RunFacts) throws {
        guard try !trialsToExplain(store, key, facts).isEmpty else { return }
        let recipe = QueryRecipe(corpus: plan.corpus, materialDigest: plan.materialDigest)
        let catalogs = try Catalogs(of: contestant, identity: key.matcher, plan: plan, recipe: recipe)
        // A matcher that cannot explain needs no references.
        if catalogs.whole is any ExplainingMatcher {
            _ = try catalogs.enrol(plan, jobs: jobs, progress: progress)
        }
        try explain(catalogs, source(recipe), store, key, facts)
    }

    /// Does the same with a contestant whose references are enrolled.
    func explain(
        _ catalogs: Catalogs, _ queries: QuerySource, _ store: TrialStore, _ key: TrialStore.RunKey,
        _ facts: RunFacts
    ) throws {
        // Trials of one source follow each other, so it is decoded about once.
        let wanted = try trialsToExplain(store, key, facts).sorted {
            ($0.source, $0.index) < ($1.source, $1.index)
        }
        let asked = Set(wanted.map(\.trialID))
        let trials = Dictionary(
            plan.trials.filter { asked.contains($0.id) }.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let explainer = TrialExplainer(catalogs: catalogs, queries: queries)
        _ = try ParallelMap.map(
            wanted.count, jobs: jobs, progress: { progress("details", $0, wanted.count) }
        ) { number in
            guard let trial = trials[wanted[number].trialID] else { return }
            try store.save(explainer.detail(of: trial, record: wanted[number]), of: key)
        }
    }

    func source(_ recipe: QueryRecipe) -> QuerySource {
        QuerySource(
            recordings: RecordingCache(corpus: plan.corpus, capacity: jobs + 1), material: material,
            recipe: recipe, cache: cache)
    }

    private func trialsToExplain(
        _ store: TrialStore, _ key: TrialStore.RunKey, _ facts: RunFacts
    ) throws -> [TrialRecord] {
        guard details > 0 else { return [] }
        let known = try store.detailedTrials(of: key)
        let trials = try store.records(of: key).map { JudgedTrial($0, threshold: facts.scoreThreshold) }
        return TrialChoice(details, of: trials, seed: facts.seed).trials.map(\.record)
            .filter { !known.contains($0.trialID) }
    }
}
