import Matchers

/// One contestant run over a plan, into a run folder of its own; resumes what is there.
public struct ContestantRun {
    let opened: OpenedPlan
    let request: RunRequest
    /// The contestant of the request.
    public let contestant: Contestant
    let jobs: Int
    /// The share of the trials to run; nil runs all.
    public var shard: Shard?
    let cache: TrialCache?
    /// How many trials are explained for the report.
    public var details = 0
    /// How often each query of the latency sample is timed; a finished run gets the passes that it lacks.
    public var latencyPasses = 1
    /// The seed of the check that a matcher does not know the queries; nil leaves it out.
    public var memorySeed: UInt64?
    /// Where the look at the recordings is written before the first query; nil writes none.
    package var exam: ExamLedger?
    let progress: EvaluationRun.Progress
    private let described: RunFacts.Contestant
    /// The plan and the contestant's identity.
    public let key: TrialStore.RunKey

    /// Prepares a run; nothing is enrolled yet.
    ///
    /// - Parameter progress: Receives a stage, its number of finished items and its number of items; from any thread.
    public init(
        _ opened: OpenedPlan, request: RunRequest, contestant: Contestant, jobs: Int = 1,
        cache: TrialCache? = nil,
        progress: @escaping @Sendable (_ stage: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) throws {
        self.opened = opened
        self.request = request
        self.contestant = contestant
        self.jobs = jobs
        self.cache = cache
        self.progress = progress
        described = try RunFacts.Contestant(contestant, usesCache: cache != nil)
        key = TrialStore.RunKey(plan: opened.plan.digest, matcher: described.identity)
    }

    /// The name of the run's folder where the user gives none.
    public var defaultName: String {
        let plan = opened.plan
        let name = [plan.file.name, plan.corpus.name, contestant.name, String(plan.digest.prefix(8))]
        let share = shard.map { ["shard-\($0.number)-of-\($0.count)"] } ?? []
        let isStandard = contestant.chosen.isEmpty && request.matcher.program == nil
        return (name + (isStandard ? [] : [String(key.matcher.prefix(8))]) + share).joined(separator: "-")
    }

    /// Runs what the folder does not hold yet, and returns all of it.
    ///
    /// - Parameters:
    ///   - isFresh: Deletes the run's trials from the folder first.
    ///   - retriesErrors: Asks the failed trials of the folder again.
    ///   - note: Receives the number of trials that are there already, if there are any.
    public func run(
        in folder: String, isFresh: Bool = false, retriesErrors: Bool = false,
        resuming note: (Int) -> Void = { _ in }
    ) throws -> (folder: RunFolder, records: [TrialRecord], facts: RunFacts) {
        let runFolder = try RunFolder(path: folder)
        try requireOwnRuns(in: runFolder)
        try exam?.record(ExamLedger.Look(at: opened.plan, by: described), in: folder)
        if isFresh { try runFolder.store.forget(key) }
        if retriesErrors { try runFolder.store.forgetErrors(of: key) }
        let known = try runFolder.store.finishedTrials(of: key).count
        if known > 0 { note(known) }
        var run = EvaluationRun(
            plan: opened.plan, material: opened.material, contestant: contestant, jobs: jobs, folder: folder,
            shard: shard, cache: cache, progress: progress)
        run.details = details
        run.latencyPasses = latencyPasses
        run.memorySeed = memorySeed
        let start = RunFacts(
            plan: opened.plan, matcher: described, jobs: jobs, request: request,
            notes: opened.plan.notes(material: opened.material))
        let facts = try run.run(store: runFolder.store, key: key, facts: start)
        // A run that was finished before may show fewer trials than are asked for now.
        try run.explain(store: runFolder.store, key: key, facts: facts)
        return (runFolder, try runFolder.store.records(of: key), facts)
    }

    /// Versions of one matcher share a folder, so that each is compared with the one before.
    ///
    /// Other matchers do not.
    private func requireOwnRuns(in folder: RunFolder) throws {
        let others = try folder.store.runs().map(\.facts.matcher).filter { $0.name != described.name }
        guard let other = others.first else { return }
        throw StoreError(
            path: folder.path,
            message: "holds a run of \(other.name) \(other.version), not of \(described.name)",
            kind: .otherMatcher)
    }
}
