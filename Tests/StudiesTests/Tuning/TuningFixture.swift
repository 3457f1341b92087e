import Corpora
import Evaluation
import Foundation
import Matchers
import Studies
import TestSupport

/// Queries of two halves of synthetic music, rendered once for all tests.
struct TuningFixture: Sendable {
    static let planText = """
        name: signs
        corpus: synthetic
        half: tuning
        seed: 3
        positives: 12
        negatives: 4
        negativeFolds: 2
        lengthSeconds: 1
        families:
          - {name: clean}
          - {name: gain, severities: [-6, -3, 3], chain: [{gain: {decibels: $severity}}]}
        """

    static let shared = Result { try TuningFixture() }

    /// The folder of samples, in unnamed files.
    let folder = FileManager.default.temporaryDirectory.path
    let plan: Plan
    let material: CorpusMaterial
    let questions: QuestionSet
    let heldOut: QuestionSet
    private let evaluators: [CandidateEvaluator]

    init() throws {
        (plan, material) = try Self.open(Self.planText)
        questions = try QuestionSet(plan: plan, material: material, jobs: 2, folder: folder)
        let other = try Plan(file: plan.file, corpus: plan.corpus, material: material, half: .test)
        heldOut = try QuestionSet(plan: other, material: material, jobs: 2, folder: folder)
        evaluators = [1, 2].map { [questions, folder] jobs in
            CandidateEvaluator(questions: questions, jobs: jobs, folder: folder)
        }
    }

    static func open(_ text: String) throws -> (Plan, CorpusMaterial) {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let file = try PlanFile(text: text, name: "signs.yaml")
        return (try Plan(file: file, corpus: corpus, material: material), material)
    }

    /// An evaluator of one or two threads, the same for all tests.
    func evaluator(jobs: Int = 2) -> CandidateEvaluator { evaluators[jobs - 1] }

    /// A start far from the best `x` and `y`.
    func space(
        _ names: [String] = ["x", "y"], x: Double = 0.1, of contestant: Contestant = SignMatcher.contestant
    ) throws -> SearchSpace {
        try SearchSpace(contestant.choosing(["x": x, "y": 0.95]), names: names)
    }

    func search(
        _ space: SearchSpace, study: StudyRun? = nil, candidates: Int = 40, seed: UInt64 = 1,
        jobs: Int = 2
    ) throws -> TuningResult {
        try TuningSearch(
            space, evaluator: evaluator(jobs: jobs), study: study, budget: .candidates(candidates),
            seed: seed
        ).run()
    }

    /// A study in the folder at `path`.
    func study(
        _ path: String, _ space: SearchSpace, plan: Plan? = nil, matcherDigest: String = "m", seed: UInt64 = 1
    ) throws -> StudyRun {
        let origin = Provenance(
            matcher: .init(name: "signs", version: "1", settings: [:], digest: matcherDigest),
            request: RunRequest(), corpusName: "synthetic", corpusDigest: "c", half: .tuning, seed: seed,
            commit: "", toolVersions: [:], startedAt: "")
        return try StudyRun(
            of: TuningStudy(space, plan: plan ?? self.plan, matcherDigest: matcherDigest, seed: seed),
            in: path, origin: origin, jobs: 2)
    }
}

extension TuningResult {
    var withoutTimes: String {
        let rows = candidates.map { candidate in
            let rungs = candidate.rungs.map {
                "\($0.positives) \($0.negatives) \($0.recallAtZeroFalseAccepts) \($0.rightTopShare) "
                    + "\($0.highestWrongScore ?? .nan) \($0.indexBytes ?? 0)"
            }
            let settings = candidate.settings.sorted { $0.key < $1.key }
            return "\(candidate.number) \(candidate.origin) \(settings) \(rungs) \(candidate.failure ?? "")"
        }
        return (rows + ["\(winner) \(importance)"]).joined(separator: "\n")
    }
}
