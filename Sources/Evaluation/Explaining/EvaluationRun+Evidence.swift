import AudioCore
import Corpora
import Matchers

extension EvaluationRun {
    /// What the contestant measures of each place that it examines for a query.
    ///
    /// - Parameter take: Called with each trial and its evidence, from any thread; what it returns comes back in the order
    ///   of the plan.
    /// - Throws: ``MeasurementError`` for a contestant that does not state its evidence. The error of a query, or of the
    ///   contestant: evidence with gaps would fit a decision to what is easy.
    package func evidence<Part: Sendable>(
        _ take:
            @escaping @Sendable (
                _ record: TrialRecord, _ values: [MatcherPowers.Examination.Value],
                _ evidence: [CandidateEvidence]
            ) throws -> Part
    ) throws -> [Part] {
        let enrolment = try Enrolment(of: contestant, folds: Set(plan.folds))
        guard enrolment.whole.powers.examination != nil else {
            throw MeasurementError("the matcher \(contestant.name) does not state its evidence")
        }
        let queries = source
        _ = try enrolment.enrol(
            plan, from: PreparedReferences(of: plan.corpus, jobs: jobs), progress: progress)
        return try ParallelMap.map(
            bySource: plan.trials.map { $0.source ?? "" }, jobs: jobs,
            progress: { progress("trials", $0, plan.trials.count) }
        ) { number -> Part? in
            let trial = plan.trials[number]
            var record = TrialRecord(trial)
            try record.addReferences(of: trial) { try queries.recordings.track($0) }
            do {
                let query = try queries.query(of: trial)
                record.query = query.facts
                let audio = try query.audio ?? queries.audio(of: trial, query.facts)
                guard let examination = enrolment.matcher(leavingOut: trial.fold).powers.examination else {
                    return nil
                }
                // The trial's name would reveal its truth.
                let evidence = try examination.examine(Query(name: "examined", audio: audio))
                return try take(record, examination.values, evidence)
            } catch let error as TrialError where [.notOffered, .notMade].contains(error.cause) {
                // No query, so nothing to examine.
                return nil
            }
        }.compactMap(\.self)
    }
}

/// How a candidate stands to the truth of its query.
package enum CandidateTruth: String, Sendable {
    /// The recording of the query, at its place if the truth names one.
    case right
    /// The recording of the query at another place.
    case elsewhere
    /// Another mix of it, which is neither right nor wrong.
    case permitted
    /// Another recording of the same music.
    case related
    case other

    package init(_ candidate: Candidate, in record: TrialRecord) {
        if record.truthReferences.contains(candidate.referenceID) {
            let place = JudgedTrial.place(of: candidate, in: record)
            self = place == nil || place == .right ? .right : .elsewhere
        } else if let rung = record.trial.cell.rung,
            RenditionPlace.piece(of: candidate.referenceID) == RenditionPlace.piece(of: record.trial.source)
        {
            self = rung.permitsReference ? .permitted : .related
        } else {
            self = .other
        }
    }
}
