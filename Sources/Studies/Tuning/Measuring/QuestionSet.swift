import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers

/// The queries of a plan, rendered once and stored on disk, with the criteria of right answers.
package struct QuestionSet: Sendable {
    package struct Question: Sendable {
        let trial: Trial
        let record: TrialRecord

        /// Trials of one stratum have the same conditions.
        package var stratum: String { "\(trial.cell.slug)/\(isPositive)" }
        var isPositive: Bool { trial.isPositive }
        var fold: Int? { trial.fold }
        /// The equivalence class it was cut from; trials of one are not independent.
        var cluster: String { JudgedTrial(record, threshold: nil).cluster }
    }

    package let plan: Plan
    package let questions: [Question]
    /// Trials that could not be rendered, each with the reason; they are left out for all candidates.
    package let omitted: [String]
    private let samples: QuerySpool

    /// - Parameter folder: holds the samples, in unnamed files that end with the process.
    /// - Throws: ``TuningError`` when the plan has no positives or no negatives, or the samples cannot be stored; or
    ///   the error of a source that cannot be decoded.
    package init(
        plan: Plan, material: any Material, jobs: Int, folder: String,
        progress: @escaping EvaluationRun.Progress = { _, _, _ in }
    ) throws {
        // Before rendering, and again after it, because trials may be left out.
        try Self.checkBothKinds(plan.trials.map(\.isPositive), of: plan)
        guard let samples = QuerySpool(folder: folder) else {
            throw TuningError("\(folder): a file for the queries cannot be made there")
        }
        let recordings = RecordingCache(corpus: plan.corpus, capacity: max(1, jobs) + 1)
        let source = QuerySource(recordings: recordings, material: material, recipe: plan.recipe)
        // A trial that cannot be rendered is the same loss to all candidates; a full disk is fatal.
        let rendered = try ParallelMap.map(
            bySource: plan.trials.map { $0.source ?? "" }, jobs: jobs,
            progress: { progress("queries", $0, plan.trials.count) }
        ) { number -> (question: Question?, problem: String?) in
            let trial = plan.trials[number]
            var record = TrialRecord(trial)
            try record.addReferences(of: trial) { try recordings.track($0) }
            do {
                guard let audio = try source.query(of: trial).audio, samples.keep(audio, for: trial.id) else {
                    throw TuningError("\(folder): the disk has no room for the queries")
                }
                return (Question(trial: trial, record: record), nil)
            } catch let error as TrialError {
                return (nil, "\(trial.id): \(error)")
            }
        }
        questions = rendered.compactMap(\.question)
        omitted = rendered.compactMap(\.problem)
        self.plan = plan
        self.samples = samples
        try Self.checkBothKinds(questions.map(\.isPositive), of: plan)
    }

    /// The length of all references together.
    var referenceSeconds: Double {
        plan.references(leavingOut: nil).reduce(0) { $0 + $1.durationSeconds }
    }

    func query(_ number: Int) throws -> Query {
        let name = questions[number].trial.id
        guard let audio = samples.audio(for: name) else {
            throw TuningError("the samples of \(name) cannot be read back")
        }
        return Query(name: String(format: "q%06d", number), audio: audio)
    }

    private static func checkBothKinds(_ kinds: [Bool], of plan: Plan) throws {
        let positives = kinds.count { $0 }
        guard positives > 0, positives < kinds.count else {
            throw TuningError(
                "\(plan.file.path): \(positives) trials are positive and \(kinds.count - positives) negative; "
                    + "recall at zero false accepts needs both. --negative-folds gives negatives")
        }
    }
}
