extension ShardSet {
    /// Copies all records into `store`, shard by shard, and returns the run they make.
    ///
    /// Only one record is in memory at a time. The store is left with part of the run when this throws.
    ///
    /// - Parameter progress: told after each shard how many are done.
    /// - Throws: ``MergeError`` for a trial that is not the shard's, or that two folders of one shard have
    ///   otherwise; ``StoreError`` when a store cannot be read or written.
    package func merge(
        into store: TrialStore, progress: EvaluationRun.Progress = { _, _, _ in }
    ) throws -> (key: TrialStore.RunKey, facts: RunFacts) {
        guard let first = shards.first else { throw MergeError("no shard is named") }
        let twins = Dictionary(grouping: repeats, by: \.shard.number)
        for (done, shard) in shards.enumerated() {
            try add(shard, to: store, as: first.key)
            for twin in twins[shard.shard.number] ?? [] {
                try compare(twin, with: shard, in: store, first.key)
            }
            progress("shards", done + 1, shards.count)
        }
        let facts = mergedFacts(first, latencyTrialCount: try store.timedTrials(of: first.key).count)
        try store.save(facts, of: first.key)
        return (first.key, facts)
    }

    private func add(_ shard: ShardFolder, to store: TrialStore, as key: TrialStore.RunKey) throws {
        let folder = try reopened(shard)
        var names: [Int: String] = [:]
        try store.add(shard.key, from: folder.store, to: key) { record in
            guard shard.shard.holds(trialAt: record.index), record.index < shard.facts.trialCount else {
                throw MergeError(
                    "\(shard.path): trial \(record.trialID) at position \(record.index) of "
                        + "\(shard.facts.trialCount) does not fall on shard \(shard.shard)")
            }
            if let other = names.updateValue(record.trialID, forKey: record.index) {
                throw MergeError(
                    "\(shard.path): trials \(other) and \(record.trialID) both have position \(record.index)")
            }
        }
        try store.addDetails(of: shard.key, from: folder.store, to: key)
    }

    private func compare(
        _ twin: ShardFolder, with shard: ShardFolder, in store: TrialStore, _ key: TrialStore.RunKey
    ) throws {
        try reopened(twin).store.forEachRecord(of: twin.key) { record, _ in
            let other = try store.record(of: record.trialID, in: key)
            guard other != record else { return }
            let difference =
                other.map { $0.queryDigest == record.queryDigest ? "answers or truth" : "queries" }
                ?? "trials"
            throw MergeError(
                "shard \(shard.shard) was run twice with results that differ: \(shard.path) and \(twin.path) have other "
                    + "\(difference) for trial \(record.trialID); name the one to take")
        }
    }

    /// Opens a folder again; it must be as it was when the set was checked.
    private func reopened(_ folder: ShardFolder) throws -> RunFolder {
        let opened = try RunFolder(existing: folder.path)
        guard try ShardFolder(opened) == folder else {
            throw MergeError("\(folder.path): was changed while shards were merged; merge again")
        }
        return opened
    }

    /// The facts of the whole; seconds of all shards are added up, but for enrolment, which each shard did anew.
    private func mergedFacts(_ first: ShardFolder, latencyTrialCount: Int) -> RunFacts {
        let all = shards.map(\.facts)
        func sum(_ value: (RunFacts) -> Double) -> Double { all.reduce(0) { $0 + value($1) } }
        var facts = first.facts
        facts.shard = nil
        facts.mergedFrom = parts
        facts.machine = commonMachine(first.facts.machine)
        facts.startedAt = all.map(\.startedAt).min() ?? ""
        facts.wallSeconds = sum(\.wallSeconds)
        facts.enrolSeconds = sum(\.enrolSeconds) / Double(all.count)
        facts.decodeSecondsTotal = sum(\.decodeSecondsTotal)
        facts.decodedAudioSeconds = sum(\.decodedAudioSeconds)
        facts.latencyTrialCount = latencyTrialCount
        facts.stageSeconds = all.compactMap(\.stageSeconds).reduce(into: [:]) { total, stages in
            total.merge(stages, uniquingKeysWith: +)
        }
        facts.stageTrialCount = all.compactMap(\.stageTrialCount).reduce(0, +)
        let costs = all.compactMap(\.cost)
        let enrolments = costs.compactMap(\.enrolProcessorSeconds)
        facts.cost?.enrolProcessorSeconds =
            enrolments.isEmpty ? nil : enrolments.reduce(0, +) / Double(enrolments.count)
        facts.cost?.peakMemoryBytes = costs.compactMap(\.peakMemoryBytes).max()
        facts.cost?.restarts = costs.reduce(0) { $0 + $1.restarts }
        facts.notes += warnings
        return facts
    }

    private var parts: [RunFacts.Part] {
        var parts: [RunFacts.Part] = []
        for shard in shards {
            let seconds = shard.facts.wallSeconds
            if let known = parts.firstIndex(where: { $0.machine == shard.facts.machine }) {
                parts[known].shards.append(shard.shard.number)
                parts[known].wallSeconds += seconds
                parts[known].longestSeconds = max(parts[known].longestSeconds, seconds)
            } else {
                parts.append(
                    .init(
                        machine: shard.facts.machine, shards: [shard.shard.number], wallSeconds: seconds,
                        longestSeconds: seconds))
            }
        }
        return parts
    }

    /// A machine that names every type of processor and has the instructions that all have.
    private func commonMachine(_ first: RunFacts.Machine) -> RunFacts.Machine {
        let machines = shards.flatMap(\.machines)
        guard machines.contains(where: { !$0.isAlike(first) }) else { return first }
        var machine = first
        machine.processor = Set(machines.map(\.processorType)).sorted().joined(separator: "; ")
        machine.revision = nil
        machine.features = machines.reduce(Set(first.features ?? [])) { $0.intersection($1.features ?? []) }
            .sorted()
        return machine
    }
}
