import AudioCore
import Corpora
import Degradations
import Evaluation
import Matchers

/// A contestant with all references of a corpus enrolled, for any query, one at a time.
package struct MatcherBench: Sendable {
    package let corpus: Corpus
    let cost: PreparedReferences.Cost
    private let runner: TrialRunner

    /// - Parameter references: the catalog; nil enrols every reference of the corpus.
    package init(
        corpus: Corpus, references: [Track]? = nil, material: CorpusMaterial, contestant: Contestant,
        jobs: Int,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        self.corpus = corpus
        let enrolment = try Enrolment(of: contestant)
        cost = try enrolment.enrol(
            references ?? corpus.tracks.filter(\.isEnrolled),
            from: PreparedReferences(of: corpus, jobs: jobs), progress: progress)
        runner = TrialRunner(
            enrolment: enrolment,
            queries: QuerySource(
                recordings: RecordingCache(corpus: corpus, capacity: max(1, jobs) + 1), material: material,
                recipe: QueryRecipe(corpus: corpus, material: material)))
    }

    package func record(_ trial: Trial) throws -> TrialRecord { try runner.record(trial) }

    package func recording(_ track: String) throws -> AudioBuffer {
        try runner.queries.recordings.recording(track)
    }

    package func track(_ id: String) throws -> Track { try runner.queries.recordings.track(id) }
}
