import Evaluation
import Metrics

/// The measurements of a search; each is made once.
package final class MeasurementCache {
    let space: SearchSpace
    let evaluator: CandidateEvaluator
    let ladder: RungLadder
    private let study: StudyRun?
    /// The measurements of each candidate, one for each rung that it reached.
    private var known: [[String: Double]: [Measurement]] = [:]

    /// - Parameter study: Stores the measurements; nil keeps them in memory only.
    init(
        space: SearchSpace, evaluator: CandidateEvaluator, shares: [Double] = RungLadder.thirds, seed: UInt64,
        study: StudyRun? = nil
    ) {
        self.space = space
        self.evaluator = evaluator
        ladder = RungLadder(
            strata: evaluator.questions.questions.map(\.stratum), shares: shares, seed: seed)
        self.study = study
    }

    /// The result of settings on the trials of a rung, and the seconds spent beyond earlier rungs.
    func entry(number: Int, settings: [String: Double], rung: Int) throws -> (
        entry: Race.Entry, seconds: Double
    ) {
        var measured = known[settings] ?? []
        while measured.count <= rung, measured.last?.failure == nil {
            measured.append(try measure(settings, rung: measured.count))
            known[settings] = measured
        }
        let seconds = measured.indices.contains(rung) ? measured[rung].seconds : 0
        guard measured.last?.failure == nil else { return (Race.Entry(failed: number), seconds) }
        let answers = Dictionary(
            uniqueKeysWithValues: (0...rung).flatMap { zip(added(at: $0), measured[$0].answers) })
        let asked = ladder.rungs[rung].compactMap { trial in
            answers[trial].map { (evaluator.questions.questions[trial], $0) }
        }
        let entry = Race.Entry(
            number: number,
            trials: asked.map { question, answer in
                (
                    question.cluster,
                    ScoredTrial(
                        isPositive: question.isPositive, rightScore: answer.rightScore,
                        wrongScore: answer.wrongScore)
                )
            }, milliseconds: asked.compactMap(\.1.milliseconds),
            indexBytes: measured.compactMap(\.indexBytes).last,
            referenceSeconds: evaluator.questions.referenceSeconds, goals: space.goals)
        return (entry, seconds)
    }

    func failure(of settings: [String: Double]) -> String? { known[settings]?.last?.failure }

    private func added(at rung: Int) -> [Int] {
        guard rung > 0 else { return ladder.rungs[0] }
        let before = Set(ladder.rungs[rung - 1])
        return ladder.rungs[rung].filter { !before.contains($0) }
    }

    private func measure(_ settings: [String: Double], rung: Int) throws -> Measurement {
        func ask() throws -> Measurement {
            try evaluator.measure(space.contestant.choosing(settings), on: added(at: rung))
        }
        guard let study else { return try ask() }
        let measurement = try study.outcome(of: "rung \(rung) \(SearchSpace.text(settings))", ask: ask)
        guard measurement.failure != nil || measurement.answers.count == added(at: rung).count else {
            throw TuningError("\(study.path): holds a measurement that fits no rung of this search")
        }
        return measurement
    }
}
