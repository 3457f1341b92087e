import AudioCore
import Evaluation
import Foundation
import Matchers
import Metrics

/// Searches a matcher's settings: first evenly over their ranges, then in steps around the best.
///
/// Candidates race in groups over the rungs of a ladder (``Race``). The best on all trials stays and meets every
/// later group. The seed and the answers decide everything, for any number of threads; only a budget of minutes
/// depends on the machine.
package final class TuningSearch {
    package enum Budget: Sendable {
        case candidates(Int)
        case minutes(Double)
    }

    static let evenShare = 0.5
    static let groupSize = 27
    static let stepGroupSize = 12
    static let firstWidth = 0.25, shrinkage = 0.75, leastWidth = 0.04

    private let measurements: MeasurementCache
    private let seed: UInt64
    private let budget: Budget
    private let note: (String) -> Void
    private var result: TuningResult
    private var known: Set<[String: Double]> = []
    private var proposals = 0

    /// - Parameter study: stores the measurements; nil keeps them in memory only.
    package init(
        _ space: SearchSpace, evaluator: CandidateEvaluator, study: StudyRun? = nil, budget: Budget,
        seed: UInt64, includingStandard: Bool = false, note: @escaping (String) -> Void = { _ in }
    ) {
        self.seed = seed
        self.budget = budget
        self.note = note
        let questions = evaluator.questions
        measurements = MeasurementCache(
            space: space, evaluator: evaluator,
            shares: RungLadder.shares(for: space.contestant, over: questions.plan), seed: seed, study: study)
        result = TuningResult(
            matcher: space.contestant.name, plan: questions.plan.file.name, planDigest: questions.plan.digest,
            corpus: questions.plan.corpus.name, half: questions.plan.half, seed: seed,
            goals: space.goals, searched: space.tunables, rungTrials: measurements.ladder.rungs.map(\.count),
            candidates: [],
            winner: 0)
        propose(space.start, .start)
        if includingStandard { propose(space.standard, .standard) }
    }

    /// - Throws: ``TuningError`` when the starting settings fail, or a file cannot be read or written.
    package func run() throws -> TuningResult {
        for candidate in result.candidates {
            for rung in result.rungTrials.indices { _ = try measure(candidate.number, rung: rung) }
            if let failure = result.candidates[candidate.number].failure {
                throw TuningError("the \(candidate.origin.rawValue) settings fail: \(failure)")
            }
        }
        result.winner = result.finalists.first?.number ?? 0
        note("start: \(Self.percent(result.candidates[0].rungs.last))")
        try searchEvenly()
        try searchInSteps()
        result.importance = importance()
        result.markFront()
        return result
    }

    private func searchEvenly() throws {
        let sequence = HaltonSequence(dimensions: measurements.space.tunables.count, seed: seed)
        var point = 0
        while spent < Self.evenShare {
            let group = propose(upTo: Self.groupSize, share: Self.evenShare, .sequence) {
                defer { point += 1 }
                return measurements.space.settings(at: sequence.point(point))
            }
            guard !group.isEmpty else { return }
            try race(group, until: Self.evenShare, called: "evenly")
        }
    }

    private func searchInSteps() throws {
        var round = 0
        while spent < 1 {
            let width = max(Self.leastWidth, Self.firstWidth * pow(Self.shrinkage, Double(round)))
            var generator = SeededGenerator(seed: seed, "step", "\(round)")
            let group = propose(upTo: Self.stepGroupSize, share: 1, .step) {
                measurements.space.step(from: result.best.settings, width: width, using: &generator)
            }
            guard !group.isEmpty else { return }
            try race(group, until: 1, called: String(format: "steps of %.2f", width))
            round += 1
        }
    }

    /// - Parameter share: The share of a budget of minutes after which no candidate begins.
    private func race(_ group: [Int], until share: Double, called name: String) throws {
        var alive = group
        for rung in result.rungTrials.indices {
            var entries: [Race.Entry] = []
            for number in alive where rung > 0 || !isOutOfTime(at: share) {
                entries.append(try measure(number, rung: rung))
            }
            dropUnmeasured()
            let isLast = rung == result.rungTrials.count - 1
            let most = isLast ? entries.count : (entries.count + 2) / 3
            entries.append(try measure(result.winner, rung: rung))
            let survivors = Race.survivors(
                of: entries, by: result.goals, keeping: most + 1, seed: seed)
            note(
                "\(name): \(entries.count - 1) candidates on \(result.rungTrials[rung]) trials, best "
                    + Self.percent(survivors.first?.objectives))
            if isLast { result.winner = survivors.first?.number ?? result.winner }
            alive = survivors.map(\.number).filter { $0 != result.winner }.sorted()
            if alive.isEmpty { return }
        }
    }

    private func measure(_ number: Int, rung: Int) throws -> Race.Entry {
        let settings = result.candidates[number].settings
        let (entry, seconds) = try measurements.entry(number: number, settings: settings, rung: rung)
        if result.candidates[number].rungs.count <= rung, result.candidates[number].failure == nil {
            result.seconds += seconds
            if let objectives = entry.objectives {
                result.candidates[number].rungs.append(objectives)
            } else {
                result.candidates[number].failure = measurements.failure(of: settings)
            }
        }
        return entry
    }

    private func propose(
        upTo most: Int, share: Double, _ origin: TuningResult.Origin, next: () -> [String: Double]
    ) -> [Int] {
        var wanted = most
        if case .candidates(let count) = budget {
            wanted = min(most, Int(bounded: (share * Double(count)).rounded(.up)) - proposals)
        }
        var group: [Int] = []
        // Small spaces run out of new settings; the search then ends early.
        for _ in 0..<(20 * most) where group.count < wanted {
            if let number = propose(next(), origin) { group.append(number) }
        }
        proposals += group.count
        return group
    }

    @discardableResult
    private func propose(_ settings: [String: Double], _ origin: TuningResult.Origin) -> Int? {
        guard known.insert(settings).inserted else { return nil }
        let number = result.candidates.count
        result.candidates.append(TuningResult.Candidate(number: number, origin: origin, settings: settings))
        return number
    }

    private func isOutOfTime(at share: Double) -> Bool {
        if case .minutes = budget { return spent >= share }
        return false
    }

    /// Forgets the last candidates for which there was no time.
    private func dropUnmeasured() {
        while let last = result.candidates.last, last.rungs.isEmpty, last.failure == nil {
            known.remove(last.settings)
            result.candidates.removeLast()
        }
    }

    private var spent: Double {
        switch budget {
        case .candidates(let count): Double(proposals) / Double(max(1, count))
        case .minutes(let minutes): result.seconds / (60 * minutes)
        }
    }

    private func importance() -> [SettingImportance] {
        let even = result.candidates.filter { $0.origin == .sequence && !$0.rungs.isEmpty }
        return SettingImportance.of(
            measurements.space.tunables, settings: even.map(\.settings),
            values: even.map { $0.rungs[0].recall })
    }

    private static func percent(_ objectives: Objectives?) -> String {
        objectives.map { String(format: "%.1f %%", 100 * $0.recall) } ?? "none"
    }
}
