import AudioCore
import Matchers

extension EvaluationRun {
    /// Shows in full the trials of a finished run that are to be and are not yet: makes and keeps their details.
    ///
    /// - Parameter facts: Those of the run.
    /// - Throws: ``StoreError`` when details cannot be kept, or the error of a reference that cannot be decoded or
    ///   enrolled.
    package func explain(store: TrialStore, key: TrialStore.RunKey, facts: RunFacts) throws {
        guard try !trialsToExplain(store, key, facts).isEmpty else { return }
        let enrolment = try Enrolment(of: contestant, identity: key.matcher, plan: plan)
        // Only a matcher that explains needs the references.
        if enrolment.whole.powers.explain != nil {
            _ = try enrolment.enrol(
                plan, from: PreparedReferences(of: plan.corpus, jobs: jobs), progress: progress)
        }
        try explain(enrolment, source, store, key, facts)
    }

    /// The same with a contestant that has learnt its references.
    func explain(
        _ enrolment: Enrolment, _ queries: QuerySource, _ store: TrialStore, _ key: TrialStore.RunKey,
        _ facts: RunFacts
    ) throws {
        let wanted = try trialsToExplain(store, key, facts)
        let asked = Set(wanted.map(\.trial.id))
        let trials = Dictionary(
            plan.trials.filter { asked.contains($0.id) }.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let explainer = TrialExplainer(enrolment: enrolment, queries: queries)
        _ = try ParallelMap.map(
            bySource: wanted.map(\.trial.source), jobs: jobs,
            progress: { progress("details", $0, wanted.count) }
        ) { number in
            guard let trial = trials[wanted[number].trial.id] else { return }
            let detail = try explainer.detail(of: trial, record: wanted[number])
            try store.save(detail, as: .detail, of: detail.trialID, in: key)
        }
    }

    var source: QuerySource { source(spool: nil) }

    /// - Parameter spool: holds the sources that enrolment decodes.
    func source(spool: QuerySpool?) -> QuerySource {
        QuerySource(
            recordings: RecordingCache(corpus: plan.corpus, capacity: jobs + 1, spool: spool),
            material: material, recipe: plan.recipe, cache: cache)
    }

    private func trialsToExplain(
        _ store: TrialStore, _ key: TrialStore.RunKey, _ facts: RunFacts
    ) throws -> [TrialRecord] {
        guard details > 0 else { return [] }
        let known = try store.names(of: .detail, in: key)
        let trials = try store.records(of: key).map { JudgedTrial($0, threshold: facts.scoreThreshold) }
        return TrialChoice(details, of: trials, seed: facts.seed).trials.map(\.record)
            .filter { !known.contains($0.trial.id) }
    }
}
