import Evaluation
import Metrics

extension MemoryCheck {
    /// What was asked and found, in a sentence.
    var finding: String {
        let repeats = Proportion(pairs.count { $0.again.isRight }, of: pairs.count)
        let fresh = Proportion(pairs.count { $0.fresh.isRight }, of: pairs.count)
        var parts = ["recall \(repeats.text) again, \(fresh.text) fresh"]
        if let difference = recall.difference, let interval = recall.interval(confidence: Self.confidence) {
            let range = [interval.lower, interval.upper].map { NumberText.significant(100 * $0) }
            parts.append(
                "a difference of \(NumberText.significant(100 * difference)) points (\(range.joined(separator: " to ")), "
                    + "\(NumberText.plain(100 * Self.confidence)) % interval by recordings)")
        }
        if let ratio = cost.value {
            let range = cost.interval(confidence: Self.confidence).map {
                " (\(NumberText.significant($0.lower)) to \(NumberText.significant($0.upper)))"
            }
            parts.append(
                "the processor time of repeats \(NumberText.significant(ratio)) of that of fresh cuts\(range ?? "")"
            )
        }
        return
            "Check for memory, seed \(seed): \(pairs.count.text("query", "queries")) asked again, and as fresh cuts of the "
            + "same recordings. \(parts.joined(separator: "; "))."
    }

    /// Why the figures of the run may not be believed.
    var warnings: [String] {
        suspicions.map { suspicion in
            switch suspicion {
            case .knowsQueries:
                "The matcher finds what the plan asks and not what it could have asked: it seems to know the queries."
            case .keepsAnswers:
                "The matcher answers what it was asked before at a fraction of the cost: it seems to keep answers."
            }
        }
    }
}
