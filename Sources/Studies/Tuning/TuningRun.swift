import Corpora
import Evaluation
import Foundation
import Matchers

/// A search for settings on one half of a corpus, and the check of its best on the other.
package struct TuningRun {
    private let request: RunRequest
    private let space: SearchSpace
    private let opened: OpenedPlan
    private let seed: UInt64
    private let jobs: Int
    private let folder: String
    private let note: (String) -> Void
    private let progress: EvaluationRun.Progress

    /// - Parameters:
    ///   - request: Cuts queries from the tuning half unless it names another.
    ///   - seed: The seed of the search; the plan keeps its own.
    ///   - folder: Where results are kept; nil keeps samples in a temporary folder and nothing else.
    package init(
        _ request: RunRequest, of space: SearchSpace, in library: CorpusLibrary, seed: UInt64, jobs: Int,
        folder: String?, note: @escaping (String) -> Void, progress: @escaping EvaluationRun.Progress
    ) throws {
        var request = request
        request.half = request.half ?? .tuning
        self.request = request
        self.space = space
        opened = try request.open(in: library)
        for warning in opened.plan.warnings { note("\(opened.plan.corpus.name): \(warning)") }
        self.seed = seed
        self.jobs = jobs
        self.folder = folder ?? FileManager.default.temporaryDirectory.path
        self.note = note
        self.progress = progress
        if let folder {
            try opened.plan.corpus.requireOutside(folder)
            try FileTree.createFolder(folder)
        }
    }

    package var corpus: Corpus { opened.plan.corpus }

    /// Searches, and checks the best settings on the held-out half where a ledger of looks is given.
    package func search(
        _ budget: TuningSearch.Budget, includingStandard: Bool, ledger: String?
    ) throws -> TuningResult {
        let plan = opened.plan
        let origin = Provenance(try .init(space.contestant), on: plan, request: request)
        let study = try StudyRun(
            of: TuningStudy(space, plan: plan, matcherDigest: origin.matcher.identity, seed: seed),
            in: folder,
            origin: origin, jobs: jobs)
        let known = try study.storedTrials().count
        if known > 0 { note("\(study.path): \(known) measurements are reused") }
        let search = TuningSearch(
            space, evaluator: try evaluator(plan, opened.material), study: study, budget: budget,
            seed: seed, includingStandard: includingStandard, note: note)
        var result = try search.run()
        result.provenance = origin
        guard let ledger else { return result }
        let best = result.best
        let goals = try space.goals.sortedJSON()
        result.heldOut = try study.outcome(of: "held out, \(goals) \(SearchSpace.text(best.settings))") {
            try check(best.settings, above: best.rungs.last?.above, ledger)
        }
        return result
    }

    /// Measures settings on the half that is not searched on, and counts that in the ledger.
    ///
    /// The half that is searched on gives the threshold.
    package func look(at settings: [String: Double], ledger: String) throws -> HeldOutCheck {
        let lock = try RunLock(folder: folder)
        defer { withExtendedLifetime(lock) {} }
        let chosen = space.start.merging(settings) { $1 }
        let searched = MeasurementCache(
            space: space, evaluator: try evaluator(opened.plan, opened.material), shares: [1], seed: seed)
        guard let objectives = try searched.entry(number: 0, settings: chosen, rung: 0).entry.objectives
        else {
            throw TuningError("the settings fail: \(searched.failure(of: chosen) ?? "no answers")")
        }
        return try check(settings, above: objectives.above, ledger)
    }

    private func check(
        _ settings: [String: Double], above threshold: Double?, _ ledger: String
    ) throws -> HeldOutCheck {
        let other = opened.plan.half.other
        // Each half has negatives and noise of its own, and with speed copies a corpus of its own.
        var request = request
        request.half = other
        let heldOut = try request.open(in: opened.library)
        let check = try HeldOutCheck(
            of: space.start.merging(settings) { $1 }, above: threshold, in: space,
            evaluator: evaluator(heldOut.plan, heldOut.material), ledger: LookLedger(path: ledger),
            seed: seed)
        if check.look > LookLedger.budget {
            note(
                "warning: the \(other.rawValue) half has been looked at \(check.look) times (\(ledger)); "
                    + "after \(LookLedger.budget) looks it is hardly held out any more")
        }
        return check
    }

    package func judge() throws -> ObjectiveServer {
        ObjectiveServer(space, evaluator: try evaluator(opened.plan, opened.material), seed: seed)
    }

    private func evaluator(_ plan: Plan, _ material: CorpusMaterial) throws -> CandidateEvaluator {
        note("plan \(plan.file.name), \(plan.half.rawValue) half, \(plan.trials.count) trials")
        let questions = try QuestionSet(
            plan: plan, material: material, jobs: jobs, folder: folder, progress: progress)
        for problem in questions.omitted { note("left out: \(problem)") }
        return CandidateEvaluator(questions: questions, jobs: jobs, folder: folder)
    }
}

/// What decides the measurements of a search.
package struct TuningStudy: Study, Codable, Hashable, Sendable {
    package static let name = "tune"
    package var settings: TuningStudy { self }
    package var identity: [String] { get throws { [try sortedJSON()] } }
    /// Not known before the search ends.
    package var trialCount: Int { 0 }

    private let planDigest: String
    private let matcherDigest: String
    private let seed: UInt64
    private let start: [String: Double]
    private let searched: [TunableSetting]
    private let shares: [Double]

    /// - Parameter matcherDigest: changes when the matcher could answer differently (`RunFacts.Contestant.identity`).
    package init(_ space: SearchSpace, plan: Plan, matcherDigest: String, seed: UInt64) {
        planDigest = plan.digest
        self.matcherDigest = matcherDigest
        self.seed = seed
        start = space.start
        searched = space.tunables
        shares = RungLadder.shares(for: space.contestant, over: plan)
    }

    package func refusal(of other: RunFacts, in path: String) throws -> (any Error)? {
        TuningError(
            "\(path): holds another search: its \(try other.settings(as: Self.self).difference(to: self)). "
                + "Name another folder, or repeat the search it was made for")
    }

    private func difference(to other: Self) -> String {
        if planDigest != other.planDigest {
            return
                "plan, corpus or half differs (digest \(planDigest.prefix(12)), now \(other.planDigest.prefix(12)))"
        }
        if seed != other.seed { return "seed is \(seed), now \(other.seed)" }
        if start != other.start {
            return "start is \(SearchSpace.text(start)), now \(SearchSpace.text(other.start))"
        }
        if searched != other.searched {
            return "searched settings are \(searched.map(\.name).joined(separator: ", ")), "
                + "now \(other.searched.map(\.name).joined(separator: ", "))"
        }
        if shares != other.shares { return "rungs are \(shares), now \(other.shares)" }
        return "matcher answers differently or is another program (digest \(matcherDigest.prefix(12)), "
            + "now \(other.matcherDigest.prefix(12)))"
    }
}

package struct TuningError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
