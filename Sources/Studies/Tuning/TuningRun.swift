import Corpora
import Evaluation
import Foundation

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

    /// Opens the plan, and makes the folder.
    ///
    /// - Parameters:
    ///   - request: cuts queries from the tuning half unless it names another.
    ///   - seed: the seed of the search; the plan keeps its own.
    ///   - folder: where results are kept; nil keeps samples in a temporary folder and nothing else.
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
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    package var corpus: Corpus { opened.plan.corpus }

    /// Searches, and checks the best settings on the held-out half where a ledger of looks is given.
    package func search(
        _ budget: TuningSearch.Budget, includingStandard: Bool, ledger: String?
    ) throws -> TuningResult {
        let lock = try RunLock(folder: folder)
        defer { withExtendedLifetime(lock) {} }
        let digest = try space.contestant.digest()
        let provenance = Provenance(
            try .init(space.contestant, digest: digest), on: opened.plan, request: request)
        let journal = try TuningJournal(
            path: folder + "/journal.jsonl", space: space, plan: opened.plan, matcherDigest: digest,
            seed: seed)
        journal.notes.forEach(note)
        let search = try TuningSearch(
            space, evaluator: evaluator(opened.plan, opened.material), journal: journal, budget: budget,
            seed: seed, includingStandard: includingStandard, note: note)
        var result = try search.run()
        result.provenance = provenance
        guard let ledger else { return result }
        let settings = result.best.settings
        if let known = journal.heldOut, known.settings == settings {
            result.heldOut = known
        } else {
            let check = try check(settings, ledger)
            try journal.append(check)
            result.heldOut = check
        }
        return result
    }

    /// Measures settings on the half that is not searched on, and counts that in the ledger.
    package func look(at settings: [String: Double], ledger: String) throws -> HeldOutCheck {
        let lock = try RunLock(folder: folder)
        defer { withExtendedLifetime(lock) {} }
        return try check(settings, ledger)
    }

    private func check(_ settings: [String: Double], _ ledger: String) throws -> HeldOutCheck {
        let other: CorpusHalf = opened.plan.half == .tuning ? .test : .tuning
        // With speed copies each half has a corpus of its own.
        var request = request
        request.half = other
        let heldOut = try request.open(in: opened.library).plan
        let check = try HeldOutCheck(
            of: space.start.merging(settings) { $1 }, in: space,
            evaluator: evaluator(heldOut, opened.material), ledger: LookLedger(path: ledger), seed: seed)
        if check.look > LookLedger.budget {
            note(
                "warning: the \(other.rawValue) half has been looked at \(check.look) times (\(ledger)); "
                    + "after \(LookLedger.budget) looks it is hardly held out any more")
        }
        return check
    }

    /// Answers what settings achieve, one after the other.
    package func judge() throws -> ObjectiveServer {
        try ObjectiveServer(space, evaluator: evaluator(opened.plan, opened.material), seed: seed)
    }

    private func evaluator(_ plan: Plan, _ material: CorpusMaterial) throws -> CandidateEvaluator {
        note("plan \(plan.file.name), \(plan.half.rawValue) half, \(plan.trials.count) trials")
        let questions = try QuestionSet(
            plan: plan, material: material, jobs: jobs, folder: folder, progress: progress)
        for problem in questions.omitted { note("left out: \(problem)") }
        return CandidateEvaluator(questions: questions, jobs: jobs, folder: folder)
    }
}
