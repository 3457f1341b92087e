import Corpora
import Evaluation

extension FrontierPlan {
    func isFound(_ record: TrialRecord, axis: Int) throws -> Bool {
        guard let outcome = JudgedTrial(record, threshold: nil).outcome else {
            throw ConfigurationError(
                file: file.path, line: file.axes[axis].line,
                message: "\(record.trialID): its format is not offered at the rate it has there; "
                    + "leave that severity out or put a `resample` before it")
        }
        return outcome == .correct
    }

    /// What the answers of a finished search say.
    ///
    /// - Throws: ``StoreError`` when one is missing.
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
                        axis: axis, query: queryName(query), track: first.source,
                        cluster: first.sourceClass, startSeconds: first.sourceStartSeconds ?? 0,
                        finding: finding, trials: trials))
            }
        }
        return FrontierResult(axes: file.axes, limits: limits, facts: facts)
    }
}
