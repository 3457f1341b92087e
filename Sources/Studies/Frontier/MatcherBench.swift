import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers

/// A contestant with all references of a corpus enrolled, for any query, one at a time.
package struct MatcherBench: Sendable {
    package let corpus: Corpus
    /// What enrolment took.
    let cost: PreparedReferences.Cost
    private let runner: TrialRunner

    /// Enrols every reference.
    ///
    /// - Parameters:
    ///   - material: The noise for degradations.
    ///   - jobs: The number of threads, and of queries at a time.
    /// - Throws: The error of a reference that cannot be decoded or enrolled.
    package init(
        corpus: Corpus, material: CorpusMaterial, contestant: Contestant, jobs: Int,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        try self.init(
            references: corpus.tracks.filter(\.isEnrolled), of: corpus, material: material,
            contestant: contestant, jobs: jobs, progress: progress)
    }

    /// Enrols the catalog of one trial of a plan: all references except those of its fold.
    ///
    /// - Throws: The error of a reference that cannot be decoded or enrolled.
    package init(
        for trial: Trial, of plan: Plan, material: CorpusMaterial, contestant: Contestant, jobs: Int,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        try self.init(
            references: plan.references(leavingOut: trial.fold), of: plan.corpus, material: material,
            contestant: contestant, jobs: jobs, progress: progress)
    }

    private init(
        references: [Track], of corpus: Corpus, material: CorpusMaterial, contestant: Contestant, jobs: Int,
        progress: @escaping EvaluationRun.Progress
    ) throws {
        self.corpus = corpus
        let enrolment = try Enrolment(of: contestant)
        cost = try enrolment.enrol(
            references, from: PreparedReferences(jobs: jobs) { try corpus.audio(of: $0) }, progress: progress)
        runner = TrialRunner(
            enrolment: enrolment,
            queries: QuerySource(
                recordings: RecordingCache(corpus: corpus, capacity: max(1, jobs) + 1), material: material,
                recipe: QueryRecipe(corpus: corpus, materialDigest: material.digest)))
    }

    /// Makes the query of `trial`, asks the contestant, and records its answer.
    package func record(_ trial: Trial) throws -> TrialRecord { try runner.record(trial) }

    /// The recording called `track`.
    ///
    /// - Throws: ``StoreError`` when the corpus has none, or the error of a file that cannot be decoded.
    package func recording(_ track: String) throws -> AudioBuffer {
        try runner.queries.recordings.recording(track)
    }

    /// The track called `id`.
    ///
    /// - Throws: ``StoreError`` when the corpus has none.
    package func track(_ id: String) throws -> Track { try runner.queries.recordings.track(id) }
}
