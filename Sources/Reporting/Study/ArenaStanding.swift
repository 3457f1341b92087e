import Evaluation
import Metrics

/// One contestant of an arena: its run and the figures by which contestants are compared.
package struct ArenaStanding: Sendable {
    package let name: String
    package let model: ReportModel
    /// The score from which at most ``falseAcceptRate`` of all negatives are accepted, if there is one.
    ///
    /// It is fitted on the negatives of the run, for all contestants alike.
    package let threshold: Double?

    /// The share of negatives that may be accepted at ``threshold``.
    package static let falseAcceptRate = 0.01

    package init(name: String, records: [TrialRecord], facts: RunFacts, commands: RunCommands = .none) {
        self.name = name
        model = ReportModel(records: records, facts: facts, commands: commands)
        threshold =
            model.separation?.curve.points.last { $0.falseAcceptRate <= Self.falseAcceptRate }?.threshold
    }

    /// Whether a trial's right answer is claimed at ``threshold``.
    func finds(_ trial: JudgedTrial) -> Bool {
        guard let threshold, let score = trial.scores.rightScore else { return false }
        return score >= threshold
    }

    /// The share of `trials` whose right answer is claimed at ``threshold``.
    func recall(of trials: some Sequence<JudgedTrial>) -> Proportion {
        Proportion(
            clustered: trials.filter { $0.record.trial.isPositive && $0.outcome != nil }
                .map { ($0.cluster, finds($0)) })
    }

    package var recall: Proportion { recall(of: model.trials) }

    /// The share of positives with a right answer within `seconds` of the right place, at the matcher's own threshold.
    ///
    /// Without `isStrict` a place that sounds the same counts too.
    func placed(within seconds: Double, isStrict: Bool = false) -> Proportion {
        Proportion(
            clustered: model.trials.filter { $0.record.trial.isPositive && $0.outcome != nil }.map { trial in
                let error = isStrict ? trial.strictOffsetErrorSeconds : trial.offsetErrorSeconds
                return (trial.cluster, error.map { abs($0) <= seconds } ?? false)
            })
    }

    /// Processor time of a query in milliseconds; nil where it was not measured.
    var processor: LatencySummary? {
        LatencySummary(model.trials.compactMap(\.record.latency?.processorMilliseconds))
    }

    /// The mean, which ticks of 10 ms do not bias.
    var meanProcessorMilliseconds: Double? {
        let times = model.trials.compactMap(\.record.latency?.processorMilliseconds)
        return times.isEmpty ? nil : times.reduce(0, +) / Double(times.count)
    }

    /// Audio seconds enrolled in a processor second.
    var enrolmentRate: Double? {
        guard let seconds = model.facts.cost?.enrolProcessorSeconds, seconds > 0 else { return nil }
        return model.facts.referenceSeconds / seconds
    }
}
