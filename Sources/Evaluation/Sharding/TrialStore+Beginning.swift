extension TrialStore {
    /// What is stored when a run begins, so that it is there after a kill.
    package struct Beginning {
        var key: RunKey
        /// The facts at each beginning on another machine, in order; figures about the run itself are 0.
        var facts: [RunFacts]
    }

    /// Stores that a run begins or resumes here, before any of its trials.
    ///
    /// - Throws: ``StoreError`` when the store holds another share of the same run.
    package func begin(_ facts: RunFacts, of run: RunKey) throws {
        let earlier = try beginnings().first { $0.key == run }?.facts ?? []
        // A merged run is whole and notes no beginning.
        let holdsWholeRun = try earlier.isEmpty && !finishedTrials(of: run).isEmpty
        let kept = holdsWholeRun ? .some(nil) : earlier.first.map(\.shard)
        if let kept, kept != facts.shard {
            func name(_ shard: Shard?) -> String { shard.map { "shard \($0)" } ?? "the whole" }
            throw StoreError(
                path: path,
                message: "holds \(name(kept)) of this run, not \(name(facts.shard)); name another folder")
        }
        guard !earlier.contains(where: { $0.machine == facts.machine }) else { return }
        try save(facts, as: .beginning, of: "\(earlier.count)", at: earlier.count, in: run)
    }

    package func beginnings() throws -> [Beginning] {
        var beginnings: [Beginning] = []
        for (key, facts) in try facts(RunFacts.self, as: .beginning) {
            if let known = beginnings.firstIndex(where: { $0.key == key }) {
                beginnings[known].facts.append(facts)
            } else {
                beginnings.append(Beginning(key: key, facts: [facts]))
            }
        }
        return beginnings
    }
}
