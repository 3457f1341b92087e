import Evaluation
import Metrics

extension ReportModel {
    /// The warnings of the check for memory, then its finding; empty without one.
    package var memoryRemarks: [String] { facts.memoryCheck.map { $0.warnings + [$0.finding] } ?? [] }

    /// Whether every trial that ran ended with an error, or none could be measured.
    package var everyTrialFailed: Bool {
        let (ran, lost) = (overall.outcomes.trials, overall.notMeasured)
        return ran + lost > 0 && overall.errors == ran
    }

    /// The errors by their words, the most frequent first; numbers do not tell errors apart.
    var errorKinds: [(first: String, count: Int)] {
        Self.kinds(trials.filter { $0.outcome != nil }.compactMap(\.record.error))
    }

    /// What disturbed trials that were not measured, likewise.
    var disturbanceKinds: [(first: String, count: Int)] {
        Self.kinds(trials.compactMap(\.record.notMeasured))
    }

    private static func kinds(_ messages: [String]) -> [(first: String, count: Int)] {
        var places: [String: Int] = [:]
        var kinds: [(first: String, count: Int)] = []
        for message in messages {
            let words = message.replacing(/[0-9]+/, with: "0")
            let place = places[words] ?? kinds.count
            if place == kinds.count { kinds.append((message, 0)) }
            places[words] = place
            kinds[place].count += 1
        }
        return kinds.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }

    /// How many top answers state no position; nil if all do.
    var positionRemark: String? {
        let claims = trials.compactMap(\.claim)
        let without = claims.count { $0.offsetSeconds == nil }
        guard without > 0 else { return nil }
        return
            "\(without.text) of \(claims.count.text("top answer")) \(without == 1 ? "states" : "state") no position. "
            + "Recall counts them by their recording; recall at the right place does not count them."
    }

    /// The most frequent error with its number, what was not measured, and answers without a position; empty without these.
    package var trialRemarks: [String] {
        var lines = NumberText.errors(overall)
        if let most = errorKinds.first {
            lines.append("The most frequent error, \(most.count.text("time")): \(most.first)")
        }
        if let most = disturbanceKinds.first {
            let count = overall.notMeasured
            lines.append(
                "\(count.text("trial")) \(count == 1 ? "was" : "were") not measured, because the machine disturbed the matcher "
                    + "twice, and count\(count == 1 ? "s" : "") in no figure; --retry-errors asks again. "
                    + "The most frequent reason: \(most.first)")
        }
        return lines + [positionRemark].compactMap(\.self)
    }
}
