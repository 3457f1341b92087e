import Corpora
import Evaluation
import Matchers
import SystemIO

/// Searches the limits of all queries of a plan.
///
/// All answers on the way to a limit are one outcome of the study.
package struct FrontierRun: Study, Sendable {
    package static let name = "frontier"
    package var settings: [String] { plan.file.axes.map(\.name) }
    package var identity: [String] { [plan.digest] }
    package var trialCount: Int { plan.queryCount * plan.file.axes.count }

    package let plan: FrontierPlan
    package let material: CorpusMaterial
    package let contestant: Contestant
    /// As the search begins.
    package let facts: RunFacts

    package init(
        plan: FrontierPlan, material: CorpusMaterial, contestant: Contestant, facts: RunFacts
    ) {
        self.plan = plan
        self.material = material
        self.contestant = contestant
        self.facts = facts
    }

    /// Asks for the answers that are not stored, and returns the result of all.
    ///
    /// - Parameter note: receives what is stored already and what is asked.
    /// - Throws: ``StoreError`` when answers cannot be stored, ``ConfigurationError`` for a severity whose format is
    ///   not offered, or the error of a recording that cannot be decoded.
    package func run(in study: StudyRun, note: (String) -> Void = { _ in }) throws -> FrontierResult {
        let clock = ContinuousClock()
        let began = clock.now
        let known = try study.storedTrials().count
        if known > 0 { note("\(known.counting("answer is", "answers are")) in \(study.path) already") }
        note(
            "seed \(plan.base.seed), \(plan.queryCount.counting("query", "queries")) along "
                + "\(plan.file.axes.count.counting("axis", "axes")), "
                + plan.base.references(leavingOut: nil).count.counting("reference"))
        let limits = plan.limits
        var cost = PreparedReferences.Cost()
        let answers = try study.outcomes(
            of: limits.map { limit in
                StudyRun.Trial(
                    id: "\(plan.file.axes[limit.axis].slug)/\(plan.queryName(limit.query))",
                    source: plan.base.trials[limit.query].source ?? "")
            }, stage: "limits"
        ) { () -> @Sendable (Int) throws -> [TrialRecord] in
            let bench = try MatcherBench(
                corpus: plan.base.corpus, material: material, contestant: contestant, jobs: study.jobs,
                progress: study.progress)
            cost = bench.cost
            return { try search(limits[$0].query, limits[$0].axis, on: bench) }
        }
        let records = answers.flatMap(\.self)
        let finished = try study.finalFacts {
            var facts = facts
            facts.figures.add(cost, references: plan.base.references(leavingOut: nil))
            facts.trialCount = records.count
            facts.wallSeconds = (clock.now - began).seconds
            return facts
        }
        return try plan.result(of: records, facts: finished)
    }

    private func search(_ query: Int, _ axis: Int, on bench: MatcherBench) throws -> [TrialRecord] {
        let recording = try plan.base.trials[query].cutSource.map { try bench.recording($0) }
        let start = try recording.map { try plan.startFrame(of: query, in: $0) }
        var records: [TrialRecord] = []
        _ = try plan.search(query: query, axis: axis).run { rung in
            var trial = try plan.trial(query: query, axis: axis, rung: rung)
            trial.startFrame = start
            let record = try bench.record(trial)
            records.append(record)
            return try plan.isFound(record, axis: axis)
        }
        return records
    }
}

/// The limit of each query along each axis, with the facts of the run.
package struct FrontierResult: Sendable {
    package struct Limit: Sendable {
        package let axis: Int
        package let query: String
        package let track: String
        /// The equivalence class of the track: queries of one class are not independent.
        package let cluster: String
        package let startSeconds: Double
        package let finding: FrontierFinding
        package let trials: [Int: JudgedTrial]

        package var lostTrial: JudgedTrial? { finding.firstLost.flatMap { trials[$0] } }
        package var errors: Int { trials.values.count { $0.record.error != nil } }
    }

    package let axes: [FrontierAxis]
    package let limits: [Limit]
    package let facts: RunFacts

    package init(axes: [FrontierAxis], limits: [Limit], facts: RunFacts) {
        self.axes = axes
        self.limits = limits
        self.facts = facts
    }

    /// The facts and all answers of the only search that a folder holds.
    ///
    /// - Throws: ``StoreError`` when there is none, it is not finished, or there is more than one.
    static func stored(in folder: RunFolder) throws -> (facts: RunFacts, records: [TrialRecord]) {
        let search = try folder.onlyStudy()
        let name = search.facts.study?.name ?? ""
        guard name == FrontierRun.name else {
            throw StoreError(path: folder.path, message: "holds a study of \(name), not of limits")
        }
        guard let finished = search.finished else {
            throw StoreError(path: folder.path, message: "holds no finished search", kind: .unfinishedSearch)
        }
        let answers = try folder.store.contents([TrialRecord].self, as: .trial, in: search.key)
        return (finished, answers.flatMap(\.content))
    }

    package func limits(axis: Int) -> [Limit] { limits.filter { $0.axis == axis } }

    package var runs: Int { limits.reduce(0) { $0 + $1.finding.answers.count } }

    package var gridRuns: Int { limits.reduce(0) { $0 + $1.finding.rungs } }
}

extension FrontierPlan {
    var limits: [(query: Int, axis: Int)] {
        (0..<queryCount).flatMap { query in file.axes.indices.map { (query, $0) } }
    }

    func isFound(_ record: TrialRecord, axis: Int) throws -> Bool {
        guard let outcome = JudgedTrial(record, threshold: nil).outcome else {
            let reason =
                record.error
                ?? "its format is not offered at the rate it has there; "
                + "leave that severity out or put a `resample` before it"
            throw ConfigurationError(
                file: file.path, line: file.axes[axis].line, message: "\(record.trial.id): \(reason)")
        }
        return outcome == .correct
    }

    /// - Throws: ``StoreError`` when an answer is missing.
    package func result(of answers: [TrialRecord], facts: RunFacts) throws -> FrontierResult {
        let records = Dictionary(answers.map { ($0.trial.id, $0) }, uniquingKeysWith: { $1 })
        var limits: [FrontierResult.Limit] = []
        for axis in file.axes.indices {
            for query in 0..<queryCount {
                var trials: [Int: JudgedTrial] = [:]
                let finding = try search(query: query, axis: axis).run { rung in
                    let id = trialID(query: query, axis: axis, rung: rung)
                    guard let record = records[id] else {
                        throw StoreError(path: id, message: "the answer is missing from a finished search")
                    }
                    trials[rung] = JudgedTrial(record, threshold: nil)
                    return try isFound(record, axis: axis)
                }
                guard let first = trials[0]?.record else { continue }
                limits.append(
                    FrontierResult.Limit(
                        axis: axis, query: queryName(query), track: first.trial.source,
                        cluster: first.sourceClass, startSeconds: first.sourceStartSeconds ?? 0,
                        finding: finding, trials: trials))
            }
        }
        return FrontierResult(axes: file.axes, limits: limits, facts: facts)
    }
}
