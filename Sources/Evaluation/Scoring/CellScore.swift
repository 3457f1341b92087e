import Corpora
import Degradations
import Metrics

/// The figures of a cell: the trials that share a degradation, a severity and a query length.
public struct CellScore: Sendable {
    /// What trials of a cell share.
    public struct Key: Hashable, Sendable {
        /// The name of the degradation.
        public let degradation: String
        /// The severity as printed; empty where the family has none.
        public let severity: String
        /// The length of queries in seconds.
        public let lengthSeconds: Double

        package init(degradation: String, severity: String, lengthSeconds: Double) {
            self.degradation = degradation
            self.severity = severity
            self.lengthSeconds = lengthSeconds
        }

        package init(_ record: TrialRecord) {
            degradation = record.trial.cell.degradation
            severity = record.trial.cell.severity
            lengthSeconds = record.trial.cell.lengthSeconds
        }
    }

    /// The cell.
    public let key: Key
    /// The severity as a number, where the family has one.
    public let severityValue: Double?
    /// What its condition has in common with others.
    public package(set) var group: ConditionGroup
    /// The figures of its trials.
    public package(set) var score: Scorecard
    package let chain: DegradationChain
    /// How its queries are related to a reference, in a ladder of relatedness.
    package let rung: Rung?

    package static func cells(of trials: [JudgedTrial], highestWrongScore: Double?) -> [CellScore] {
        var order: [Key] = []
        var members: [Key: [JudgedTrial]] = [:]
        for trial in trials {
            let key = Key(trial.record)
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(trial)
        }
        return order.compactMap { key in
            guard let trials = members[key], let first = trials.first else { return nil }
            let chain = first.record.trial.chain
            return CellScore(
                key: key, severityValue: first.record.trial.cell.severityValue,
                group: ConditionGroup(chain, hasPositives: trials.contains { $0.record.trial.isPositive }),
                score: Scorecard(trials, highestWrongScore: highestWrongScore), chain: chain,
                rung: first.record.trial.cell.rung)
        }
    }
}
