import Corpora
import Evaluation

/// The limit of each query along each axis, with the facts of the run.
package struct FrontierResult: Sendable {
    package struct Limit: Sendable {
        package let axis: Int
        package let query: String
        package let track: String
        /// The equivalence class of the track: queries of one class are not independent.
        package let cluster: String
        package let startSeconds: Double
        package let finding: FrontierFinding
        package let trials: [Int: JudgedTrial]

        package var lostTrial: JudgedTrial? { finding.firstLost.flatMap { trials[$0] } }
        package var errors: Int { trials.values.count { $0.record.error != nil } }
    }

    package let axes: [FrontierAxis]
    package let limits: [Limit]
    package let facts: RunFacts

    package init(axes: [FrontierAxis], limits: [Limit], facts: RunFacts) {
        self.axes = axes
        self.limits = limits
        self.facts = facts
    }

    package func limits(axis: Int) -> [Limit] { limits.filter { $0.axis == axis } }

    package var runs: Int { limits.reduce(0) { $0 + $1.finding.answers.count } }

    package var gridRuns: Int { limits.reduce(0) { $0 + $1.finding.rungs } }
}

extension FrontierPlan {
    func isFound(_ record: TrialRecord, axis: Int) throws -> Bool {
        guard let outcome = JudgedTrial(record, threshold: nil).outcome else {
            throw ConfigurationError(
                file: file.path, line: file.axes[axis].line,
                message: "\(record.trial.id): its format is not offered at the rate it has there; "
                    + "leave that severity out or put a `resample` before it")
        }
        return outcome == .correct
    }

    /// Collects the result of a finished search.
    ///
    /// - Throws: ``StoreError`` when an answer is missing.
    package func result(of records: [String: TrialRecord], facts: RunFacts) throws -> FrontierResult {
        var limits: [FrontierResult.Limit] = []
        for axis in file.axes.indices {
            for query in 0..<queryCount {
                var trials: [Int: JudgedTrial] = [:]
                let finding = try search(query: query, axis: axis).run { rung in
                    let id = trialID(query: query, axis: axis, rung: rung)
                    guard let record = records[id] else {
                        throw StoreError(path: id, message: "the answer is missing from a finished search")
                    }
                    trials[rung] = JudgedTrial(record, threshold: nil)
                    return try isFound(record, axis: axis)
                }
                guard let first = trials[0]?.record else { continue }
                limits.append(
                    FrontierResult.Limit(
                        axis: axis, query: queryName(query), track: first.trial.source,
                        cluster: first.sourceClass, startSeconds: first.sourceStartSeconds ?? 0,
                        finding: finding, trials: trials))
            }
        }
        return FrontierResult(axes: file.axes, limits: limits, facts: facts)
    }
}
