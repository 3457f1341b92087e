import Corpora
import Evaluation
import Foundation
import Matchers
import Metrics
import SystemIO

/// Measures settings on recordings that had no part in choosing them.
package struct HeldOutCheck: Codable, Hashable, Sendable {
    package struct Comparison: Codable, Hashable, Sendable {
        package let other: Objectives
        /// Positives that only the chosen settings won, each at its own threshold without a false accept.
        package let onlyChosen: Int
        package let onlyOther: Int
        package let difference: Double
        /// The lower end of its 95 % interval (`FittedRecallDifference`); nil with fewer than 2 recordings.
        package let lower: Double?
        package let upper: Double?
        /// The two-sided probability of no difference, both thresholds found again in each resample.
        package let probability: Double
        package let clusters: Int

        init(
            _ chosen: Race.Entry, against other: Race.Entry, objectives: Objectives, goals: TuningGoals,
            seed: UInt64
        ) {
            let change = Race.difference(of: chosen, from: other, goals: goals, seed: seed)
            self.other = objectives
            onlyChosen = change.gained
            onlyOther = change.lost
            difference = change.difference ?? 0
            lower = change.interval?.lower
            upper = change.interval?.upper
            probability = change.probability
            clusters = change.clusters
        }

        /// Whether the chosen settings are worse, beyond chance at 5 %.
        package var isSignificantlyWorse: Bool { difference < 0 && probability < 0.05 }
    }

    /// The positives of one condition.
    package struct Condition: Codable, Hashable, Sendable {
        package let name: String
        package let positives: Int
        package let found: Int
        package let foundAtStart: Int
    }

    package let half: CorpusHalf
    package let planDigest: String
    package let settings: [String: Double]
    package let chosen: Objectives
    /// The chosen settings at the threshold of the goal on the half that was searched on.
    package let carried: CarriedThreshold
    /// What the chosen settings and the start find in each condition, each at its own threshold.
    package let conditions: [Condition]
    package let againstStart: Comparison
    package let againstStandard: Comparison
    package let look: Int

    /// - Parameters:
    ///   - threshold: That of the settings on the half that was searched; nil where every answer is claimed.
    ///   - evaluator: Belongs to the plan of the held-out half.
    /// - Throws: ``TuningError`` when settings fail, or an error of ``CandidateEvaluator`` or the ledger.
    package init(
        of settings: [String: Double], above threshold: Double?, in space: SearchSpace,
        evaluator: CandidateEvaluator, ledger: LookLedger, seed: UInt64
    ) throws {
        let questions = evaluator.questions
        let contestant = try space.contestant.choosing(settings)
        look = try ledger.record(questions.plan, of: contestant.make(), settings: settings)
        let measurements = MeasurementCache(space: space, evaluator: evaluator, shares: [1], seed: seed)
        func measured(_ settings: [String: Double], _ name: String) throws -> (Race.Entry, Objectives) {
            let entry = try measurements.entry(number: 0, settings: settings, rung: 0).entry
            guard let objectives = entry.objectives else {
                throw TuningError(
                    "\(name) settings fail: \(measurements.failure(of: settings) ?? "no answers")")
            }
            return (entry, objectives)
        }
        let (mine, objectives) = try measured(settings, "the chosen")
        let (start, startObjectives) = try measured(space.start, "the start's")
        let (standard, standardObjectives) = try measured(space.standard, "the standard")
        half = questions.plan.half
        planDigest = questions.plan.digest
        self.settings = settings
        chosen = objectives
        carried = CarriedThreshold(mine.trials.map(\.scores), above: threshold)
        againstStart = Comparison(
            mine, against: start, objectives: startObjectives, goals: space.goals, seed: seed)
        againstStandard = Comparison(
            mine, against: standard, objectives: standardObjectives, goals: space.goals, seed: seed)
        let names = questions.questions.filter(\.isPositive).map { CellScore.Key($0.record).words }
        let wins = zip(names, zip(mine.wins, start.wins))
        conditions = Dictionary(grouping: wins, by: \.0).sorted { $0.key < $1.key }.map { name, trials in
            Condition(
                name: name, positives: trials.count, found: trials.count { $0.1.0.isWon },
                foundAtStart: trials.count { $0.1.1.isWon })
        }
    }
}

/// Counts the looks at held-out halves, one line of JSON each; every look makes a half less held out.
///
/// A line is on the disk before the look. A killed process leaves at most one torn line at the end, which the next
/// opening removes.
package final class LookLedger {
    package struct Look: Codable, Hashable, Sendable {
        /// In ISO 8601.
        package var date: String
        package var corpus: String
        package var corpusDigest: String
        package var half: CorpusHalf
        package var plan: String
        package var planDigest: String
        package var matcher: String
        package var settings: [String: Double]
    }

    /// The number of looks at one half without a warning.
    package static let budget = 5

    private let path: String
    private let file: FileHandle
    private var looks: [Look]

    /// - Throws: ``TuningError`` when it cannot be read or written.
    package init(path: String) throws {
        self.path = path
        if !FileManager.default.fileExists(atPath: path) { try AtomicFile.write("", to: path) }
        let data: Data
        do {
            file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            data = try file.readToEnd() ?? Data()
        } catch {
            throw TuningError("\(path): cannot be opened: \(error.localizedDescription)")
        }
        let whole = data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        looks = try data[..<whole].split(separator: UInt8(ascii: "\n")).enumerated().map { number, line in
            do {
                return try JSONDecoder().decode(Look.self, from: Data(line))
            } catch {
                throw TuningError("\(path):\(number + 1): this line is not an entry of this file: \(error)")
            }
        }
        if data.count > whole { try writing { try file.truncate(atOffset: UInt64(whole)) } }
    }

    deinit { try? file.close() }

    /// Stores a look at `plan` before it happens.
    ///
    /// - Returns: The number of looks at that half of that corpus, this one included.
    func record(_ plan: Plan, of matcher: any Matcher, settings: [String: Double]) throws -> Int {
        let look = Look(
            date: Date.now.formatted(.iso8601), corpus: plan.corpus.name,
            corpusDigest: plan.corpus.lockDigest, half: plan.half, plan: plan.file.name,
            planDigest: plan.digest, matcher: "\(matcher.name) \(matcher.version)", settings: settings)
        let line = Data((try look.sortedJSON() + "\n").utf8)
        try writing {
            // Another process may have added a line since.
            _ = try file.seekToEnd()
            try file.write(contentsOf: line)
            try file.synchronize()
        }
        looks.append(look)
        return looks.count { $0.corpusDigest == look.corpusDigest && $0.half == look.half }
    }

    private func writing(_ body: () throws -> Void) throws {
        do { try body() } catch {
            throw TuningError("\(path): cannot be written: \(error.localizedDescription)")
        }
    }
}
