import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers

/// The queries of a plan, rendered once and stored on disk, with the criteria of right answers.
package struct QuestionSet: Sendable {
    package struct Question: Sendable {
        package let trialID: String
        package let stratum: String
        package let isPositive: Bool
        /// The equivalence class it was cut from; trials of one are not independent.
        package let cluster: String
        package let rightReferences: Set<String>
        package let fold: Int?
    }

    package let plan: Plan
    package let questions: [Question]
    /// Trials that could not be rendered, each with the reason; they are left out for all candidates.
    package let omitted: [String]
    private let samples: QuerySpool

    /// Renders every query of `plan`.
    ///
    /// - Parameters:
    ///   - folder: A writable folder for the samples, in unnamed files that end with the process.
    ///   - progress: Receives the number of rendered queries, from any thread.
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
        let tracks = Dictionary(uniqueKeysWithValues: plan.corpus.tracks.map { ($0.id, $0) })
        let groups = Dictionary(grouping: plan.trials) { $0.source ?? "" }.sorted { $0.key < $1.key }
        // A trial that cannot be rendered is the same loss to all candidates; a full disk is fatal.
        let results = try ParallelMap.map(
            groups.count, jobs: jobs, progress: { progress("queries by recording", $0, groups.count) }
        ) { number in
            let trials = groups[number].value
            let recording = try tracks[groups[number].key].map { try plan.corpus.audio(of: $0) }
            return try trials.map { trial -> (trial: Trial, problem: String?) in
                do {
                    let query = try trial.render(from: recording, material: material)
                    guard samples.keep(query.audio, for: trial.id) else {
                        throw TuningError("\(folder): the disk has no room for the queries")
                    }
                    return (trial, nil)
                } catch let error as DegradationError {
                    return (trial, "\(trial.id): \(error)")
                }
            }
        }
        let rendered = results.joined().sorted { $0.trial.index < $1.trial.index }
        questions = rendered.filter { $0.problem == nil }.map { Self.question(of: $0.trial, tracks) }
        omitted = rendered.compactMap(\.problem)
        self.plan = plan
        self.samples = samples
        try Self.checkBothKinds(questions.map(\.isPositive), of: plan)
    }

    func query(_ number: Int) throws -> Query {
        guard let audio = samples.audio(for: questions[number].trialID) else {
            throw TuningError("the samples of \(questions[number].trialID) cannot be read back")
        }
        return Query(name: String(format: "q%06d", number), audio: audio)
    }

    private static func checkBothKinds(_ kinds: [Bool], of plan: Plan) throws {
        let positives = kinds.count { $0 }
        guard positives > 0, positives < kinds.count else {
            throw TuningError(
                "\(plan.file.path): \(positives) trials are positive and \(kinds.count - positives) negative; "
                    + "recall at zero false accepts needs both")
        }
    }

    private static func question(of trial: Trial, _ tracks: [String: Track]) -> Question {
        let track = trial.source.flatMap { tracks[$0] }
        let members = trial.isPositive ? track?.classMembers.map(\.id) ?? [] : []
        return Question(
            trialID: trial.id, stratum: "\(trial.cell.slug)/\(trial.isPositive)",
            isPositive: trial.isPositive,
            cluster: track?.classID ?? "silence",
            rightReferences: Set(members.filter { tracks[$0]?.isEnrolled ?? false }), fold: trial.fold)
    }
}
