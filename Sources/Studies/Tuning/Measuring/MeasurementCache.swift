import Evaluation
import Metrics

/// Every answer of a search: looks up known ones, and measures and stores others.
package final class MeasurementCache {
    private struct Measurement {
        var answers: [Int: TrialAnswer] = [:]
        var indexBytes: Int?
        var failure: String?
        var seconds: [Int: Double] = [:]
    }

    let space: SearchSpace
    let evaluator: CandidateEvaluator
    let ladder: RungLadder
    private let journal: TuningJournal?
    private var known: [[String: Double]: Measurement] = [:]

    /// - Parameter journal: Stores the answers; nil keeps them in memory.
    init(space: SearchSpace, evaluator: CandidateEvaluator, ladder: RungLadder, journal: TuningJournal?)
        throws
    {
        self.space = space
        self.evaluator = evaluator
        self.ladder = ladder
        self.journal = journal
        for entry in journal?.entries ?? [] {
            guard ladder.rungs.indices.contains(entry.rung),
                entry.failure != nil || entry.answers.count == added(at: entry.rung).count
            else { throw TuningError("the journal has a measurement that fits no rung of this search") }
            add(entry)
        }
    }

    /// The result of settings on the trials of a rung, and the seconds spent beyond earlier rungs.
    func entry(number: Int, settings: [String: Double], rung: Int) throws -> (
        entry: Race.Entry, seconds: Double
    ) {
        for lower in 0...rung where known[settings]?.failure == nil && known[settings]?.seconds[lower] == nil
        {
            try measure(settings, rung: lower)
        }
        guard let measurement = known[settings], measurement.failure == nil else {
            return (Race.Entry(failed: number), known[settings]?.seconds[rung] ?? 0)
        }
        let asked = ladder.rungs[rung]
        let answers = asked.compactMap { measurement.answers[$0] }
        let trials = zip(asked, answers).map { trial, answer in
            let question = evaluator.questions.questions[trial]
            return (
                question.cluster,
                ScoredTrial(
                    isPositive: question.isPositive, rightScore: answer.rightScore,
                    wrongScore: answer.wrongScore)
            )
        }
        let entry = Race.Entry(
            number: number, trials: trials, milliseconds: answers.map(\.milliseconds),
            indexBytes: measurement.indexBytes)
        return (entry, measurement.seconds[rung] ?? 0)
    }

    func failure(of settings: [String: Double]) -> String? { known[settings]?.failure }

    private func added(at rung: Int) -> [Int] {
        guard rung > 0 else { return ladder.rungs[0] }
        let before = Set(ladder.rungs[rung - 1])
        return ladder.rungs[rung].filter { !before.contains($0) }
    }

    private func measure(_ settings: [String: Double], rung: Int) throws {
        let clock = ContinuousClock()
        let began = clock.now
        let answers = try evaluator.answers(
            of: space.contestant(with: settings), to: added(at: rung))
        let entry = TuningJournal.Entry(
            settings: settings, rung: rung, answers: answers.failure == nil ? answers.trials : [],
            indexBytes: answers.indexBytes, failure: answers.failure,
            seconds: (clock.now - began) / .seconds(1))
        try journal?.append(entry)
        add(entry)
    }

    private func add(_ entry: TuningJournal.Entry) {
        var measurement = known[entry.settings] ?? Measurement()
        for (trial, answer) in zip(added(at: entry.rung), entry.answers) {
            measurement.answers[trial] = answer
        }
        measurement.indexBytes = entry.indexBytes ?? measurement.indexBytes
        measurement.failure = entry.failure
        measurement.seconds[entry.rung] = entry.seconds
        known[entry.settings] = measurement
    }
}
