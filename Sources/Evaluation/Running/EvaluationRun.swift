import AudioCore
import Corpora
import Degradations
import Foundation
import Matchers

/// Runs one contestant on one plan: enrols, makes the queries, matches them and stores the answers.
package struct EvaluationRun: Sendable {
    /// Receives a stage, its number of finished items and its number of items; from any thread.
    package typealias Progress = @Sendable (_ stage: String, _ done: Int, _ total: Int) -> Void

    package var plan: Plan
    /// The recordings to mix in.
    package var material: any Material
    package var contestant: Contestant
    /// The number of threads for all but the latency pass.
    package var jobs: Int
    /// A writable folder for temporary files.
    package var folder: String
    /// The share of the plan to run; nil runs all of it.
    package var shard: Shard?
    /// Results of earlier runs; nil repeats everything.
    package var cache: TrialCache?
    /// How many trials to make again, explain and store; ``TrialChoice`` chooses them.
    package var details = 0
    /// How often each query of the latency sample is timed.
    package var latencyPasses = 1
    /// The seed of a ``MemoryCheck``; nil makes none.
    package var memorySeed: UInt64?
    package var progress: Progress

    package init(
        plan: Plan, material: any Material, contestant: Contestant, jobs: Int, folder: String,
        shard: Shard? = nil, cache: TrialCache? = nil, progress: @escaping Progress = { _, _, _ in }
    ) {
        self.plan = plan
        self.material = material
        self.contestant = contestant
        self.jobs = max(1, jobs)
        self.folder = folder
        self.shard = shard
        self.cache = cache
        self.progress = progress
    }

    /// Runs the trials that `store` lacks and returns the facts of the whole run.
    ///
    /// If a trial cannot be rendered or answered, its record holds the error and the run goes on.
    ///
    /// - Parameter facts: facts about the machine. The run fills in its own figures.
    /// - Throws: ``StoreError`` if `store` cannot be written or holds another shard. The error of a reference that
    ///   cannot be decoded or enrolled.
    @discardableResult
    package func run(store: TrialStore, key: TrialStore.RunKey, facts: RunFacts) throws -> RunFacts {
        let clock = ContinuousClock()
        let began = clock.now
        var facts = facts
        facts.shard = shard
        let run = try StudyRun(of: key, facts, in: store, jobs: jobs, progress: progress)
        let trials = plan.trials.map(StudyRun.Trial.init)
        let pending = try run.pending(of: trials).map { plan.trials[$0] }
        // Facts are stored last, so a run that has them is complete but for more passes.
        let finished = pending.isEmpty ? try knownFacts(store, key) : nil
        if let finished, try hasAllPasses(store, key), memorySeed == nil || finished.memoryCheck != nil {
            return finished
        }

        let sample = plan.latencySample(limit: plan.file.latencyTrials)
            .filter { shard?.holds(trialAt: $0.index) ?? true }
        let enrolment = try Enrolment(of: contestant, identity: key.matcher, plan: plan)
        ProcessMemory.resetPeak()
        let decoded = QuerySpool(
            folder: folder, mostBytes: Self.mostDecodedBytes, spareBytes: Self.spareBytes)
        let queries = source(spool: decoded)
        let recordings = queries.recordings
        let cut = pending.filter(queries.mustRender) + sample
        let sources = Set(cut.compactMap(\.cutSource))
        let references = PreparedReferences(jobs: jobs, describesSounds: true) { track in
            try recordings.decode(track, isKept: sources.contains(track.id))
        }
        let cost = try enrolment.enrol(plan, from: references, progress: progress)
        facts.figures.add(cost, references: plan.references(leavingOut: nil))
        facts.recordings = plan.recordingFacts(sounds: cost.sounds)
        let stages = StageClock()
        let runner = TrialRunner(
            enrolment: enrolment, queries: queries, stages: stages, progress: progress)

        // A program in another process could tell sources from the order of its queries.
        let isShuffled = enrolment.whole.powers.remote != nil
        try run.finish(trials, stage: "trials", isShuffled: isShuffled, stages: stages) {
            { try runner.record(plan.trials[$0]) }
        }
        let slips = try runner.measureLatency(sample, passes: latencyPasses, store: store, key: key)
        let check = try memorySeed.map {
            try runner.checkMemory(of: plan, shard: shard, seed: $0, store: store, key: key)
        }
        if var finished {
            finished.memoryCheck = check ?? finished.memoryCheck
            finished.latencyTrialCount = try store.timedTrials(of: key).count
            finished.wallSeconds += (clock.now - began).seconds
            try store.save(finished, of: key)
            return finished
        }
        if let first = slips.first {
            facts.notes.append("\(slips.count) queries failed in the latency pass; the first is \(first)")
        }
        // Taken before trials are explained, which is not part of the measurement.
        facts.cost = enrolment.cost(enrolProcessorSeconds: cost.processorSeconds)
        facts.wallSeconds = (clock.now - began).seconds + (try knownFacts(store, key)?.wallSeconds ?? 0)
        try explain(enrolment, queries, store, key, facts)

        facts.memoryCheck = check
        facts.trialCount = plan.trials.count
        facts.stageSeconds = stages.secondsByStage
        facts.stageTrialCount = pending.count
        let cached = try store.cachedAnswers(of: key)
        facts.cachedAnswers = cached.count
        facts.cacheCommits = cached.isEmpty ? nil : Set(cached).sorted()
        facts.latencyTrialCount = try store.timedTrials(of: key).count
        try store.save(facts, of: key)
        return facts
    }

    /// Sources beyond this limit are decoded twice: for enrolment and for queries.
    private static let mostDecodedBytes: UInt64 = 4_000_000_000
    /// What spools leave free on the disk, for the store.
    private static let spareBytes: UInt64 = 1_000_000_000

    /// Whether every timed query has had all passes.
    private func hasAllPasses(_ store: TrialStore, _ key: TrialStore.RunKey) throws -> Bool {
        guard latencyPasses > 1, let fewest = try store.latencyPasses(of: key).values.min() else {
            return true
        }
        return fewest >= latencyPasses
    }

    private func knownFacts(_ store: TrialStore, _ key: TrialStore.RunKey) throws -> RunFacts? {
        try store.runs().first { $0.key == key }?.facts
    }
}

extension Plan {
    /// The facts of the recordings from which positives are cut.
    fileprivate func recordingFacts(sounds: [String: RecordingSound]) -> [String: RecordingFacts] {
        let sources = Set(trials.lazy.filter(\.isPositive).compactMap(\.source))
        return Dictionary(
            uniqueKeysWithValues: corpus.tracks.filter { sources.contains($0.id) }
                .map { ($0.id, RecordingFacts($0, sound: sounds[$0.id])) })
    }
}

extension RunFacts.Figures {
    /// Fills in the cost of enrolment.
    package mutating func add(_ cost: PreparedReferences.Cost, references: [Track]) {
        indexBytes = cost.indexBytes
        referenceCount = references.count
        referenceSeconds = references.reduce(0) { $0 + $1.durationSeconds }
        decodeSecondsTotal = cost.decodeSeconds
        decodedAudioSeconds = cost.audioSeconds
        enrolSeconds = cost.enrolSeconds
    }
}

extension Duration {
    package var seconds: Double {
        let (whole, attoseconds) = components
        return Double(whole) + Double(attoseconds) * 1e-18
    }
}
