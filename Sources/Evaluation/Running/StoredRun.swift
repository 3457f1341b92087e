/// What a store holds of one run: of the trials of a plan, or of a study.
package struct StoredRun: Hashable, Sendable {
    package let key: TrialStore.RunKey
    /// The facts at each beginning on another machine, in order; figures about the run itself are 0.
    ///
    /// A merged run has none.
    let beginnings: [RunFacts]
    /// The facts at the end; nil before it, and for a study that has none of its own.
    package let finished: RunFacts?
    /// The number of stored trials.
    package let doneCount: Int

    /// The latest facts: of a study those of its last beginning, because it may go on with other settings.
    package let facts: RunFacts

    init?(key: TrialStore.RunKey, beginnings: [RunFacts], finished: RunFacts?, doneCount: Int) {
        let isStudy = (beginnings.last ?? finished)?.study != nil
        guard let facts = isStudy ? beginnings.last ?? finished : finished ?? beginnings.last else {
            return nil
        }
        self.key = key
        self.beginnings = beginnings
        self.finished = finished
        self.doneCount = doneCount
        self.facts = facts
    }

    /// The number of trials of its share.
    package var size: Int { facts.shard?.size(of: facts.trialCount) ?? facts.trialCount }

    /// Whether all is measured; latencies of a plan come after its trials.
    package var isFinished: Bool { doneCount >= size && (facts.study != nil || finished != nil) }
}

extension RunFacts {
    /// What errors call it.
    var noun: String { self.study == nil ? "run" : "study" }
}

extension TrialStore {
    /// All runs of the store, finished or not.
    package func storedRuns() throws -> [StoredRun] {
        let beginnings = Dictionary(grouping: try facts(as: .beginning), by: \.key)
        let finished = Dictionary(try facts(as: .facts).map { ($0.key, $0.facts) }, uniquingKeysWith: { $1 })
        return try Set(beginnings.keys).union(finished.keys)
            .sorted { ($0.plan, $0.matcher) < ($1.plan, $1.matcher) }
            .compactMap { key in
                StoredRun(
                    key: key, beginnings: (beginnings[key] ?? []).map(\.facts), finished: finished[key],
                    doneCount: try finishedTrials(of: key).count)
            }
    }

    /// Stores that a run begins or resumes here, before any of its trials.
    ///
    /// - Throws: ``StoreError`` when the store holds another share of the same run.
    package func begin(_ facts: RunFacts, of run: RunKey) throws {
        let earlier = try storedRuns().first { $0.key == run }
        if let earlier, earlier.facts.shard != facts.shard {
            func name(_ shard: Shard?) -> String { shard.map { "shard \($0)" } ?? "the whole" }
            throw StoreError(
                path: path,
                message:
                    "holds \(name(earlier.facts.shard)) of this \(facts.noun), not \(name(facts.shard)); "
                    + "name another folder")
        }
        let beginnings = earlier?.beginnings ?? []
        let isHere = beginnings.last?.machine == facts.machine
        let place = beginnings.count - (isHere ? 1 : 0)
        try save(facts, as: .beginning, of: "\(place)", at: place, in: run)
    }
}
