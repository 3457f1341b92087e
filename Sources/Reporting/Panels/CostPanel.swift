import Evaluation
import Foundation
import Metrics

/// What misses and false accepts cost at stated priors of a positive, and how much of it the threshold costs.
package struct CostFigures: Sendable {
    package struct AtPrior: Sendable {
        /// The share of queries of enrolled recordings, above 0 and below 1.
        package let prior: Double
        /// At the matcher's own decisions.
        package let own: Double
        /// At the Bayes threshold of the stated confidence; nil where the matcher states none.
        package let actual: Double?
        /// At the best threshold for these answers.
        package let minimum: Double
    }

    package static let priors = [0.5, 0.1, 0.01, 0.001]

    /// In the order of ``priors``.
    package let costs: [AtPrior]
    /// Cllr in bits; nil where the matcher states no confidence.
    package let logLikelihoodRatioCost: Double?
    /// minCllr in bits.
    package let minimumLogLikelihoodRatioCost: Double

    /// Scores the trials that were run; nil without positives or without negatives.
    ///
    /// The value of a positive is that of the right answer at the top, and that of a negative is that of its top answer.
    /// A query without one ranks below all others. Its log-likelihood ratio is the lowest of the run, at most 0.
    init?(_ trials: [JudgedTrial]) {
        let run = JudgedTrial.distinct(trials.filter { $0.evidence != nil })
        let answered = run.compactMap { $0.record.candidates.first }
        let statesConfidence = !answered.isEmpty && answered.allSatisfy { $0.confidence != nil }
        func value(_ trial: JudgedTrial) -> Double? {
            guard trial.record.error == nil, let best = trial.record.candidates.first,
                !trial.record.trial.isPositive || trial.rightRank == 1
            else { return nil }
            return statesConfidence ? best.confidence.map(Self.logOdds) : best.score.isNaN ? nil : best.score
        }
        let values = run.map { ($0.record.trial.isPositive, value($0)) }
        // Without an answer nothing is said against the query, and others rank above it.
        let lowest = min(values.compactMap(\.1).min() ?? 0, 0)
        func all(_ isTarget: Bool, withoutAnswer value: Double) -> [Double] {
            values.filter { $0.0 == isTarget }.map { $0.1 ?? value }
        }
        let targets = all(true, withoutAnswer: lowest)
        let others = all(false, withoutAnswer: lowest)
        let (rankedTargets, rankedOthers) = (
            all(true, withoutAnswer: -.infinity), all(false, withoutAnswer: -.infinity)
        )
        guard
            let least = DetectionCost.minimumLogLikelihoodRatioCost(
                targets: rankedTargets, others: rankedOthers)
        else { return nil }
        let counts = OutcomeCounts(run.compactMap(\.outcome))
        costs = Self.priors.compactMap { prior in
            DetectionCost.minimum(targets: rankedTargets, others: rankedOthers, prior: prior).map { minimum in
                AtPrior(
                    prior: prior,
                    own: DetectionCost.normalized(
                        missRate: 1 - (counts.recall.rate ?? 0),
                        falseAcceptRate: counts.falseAcceptRate.rate ?? 0, prior: prior),
                    actual: statesConfidence
                        ? DetectionCost.actual(targets: targets, others: others, prior: prior) : nil,
                    minimum: minimum)
            }
        }
        logLikelihoodRatioCost =
            statesConfidence ? DetectionCost.logLikelihoodRatioCost(targets: targets, others: others) : nil
        minimumLogLikelihoodRatioCost = least
    }

    /// The natural log-odds of a confidence at equal priors, which is a log-likelihood ratio, within ±36.
    private static func logOdds(_ confidence: Double) -> Double {
        let odds = log(confidence / (1 - confidence))
        return odds.isNaN ? 0 : min(max(odds, -36), 36)
    }
}

/// Figures of ranked answers as neural papers report them, whatever the score.
///
/// S. Chang and others, "Neural audio fingerprint for high-specific audio retrieval based on contrastive learning",
/// ICASSP 2021, and R. Oguz Araz and others, "Enhancing neural audio fingerprint robustness to audio degradation for
/// music identification", ISMIR 2025.
package struct RetrievalFigures: Sendable {
    /// Nil for all lengths.
    package let lengthSeconds: Double?
    /// The top answer is right and within 0.25 s of the place, which is half of a usual hop.
    package let exact: Proportion
    /// The same within 0.5 s.
    package let near: Proportion
    /// The top answer is a right recording, at whatever place.
    package let far: Proportion
    /// A right recording is among the first 3, 5 and 10 answers.
    package let top: [Int: Proportion]
    /// The mean of 1/rank of the first right recording, 0 where none is among the first 10 answers.
    package let meanReciprocalRank: Double?

    package static let exactSeconds = 0.25
    package static let nearSeconds = 0.5
    package static let ranks = [3, 5, 10]

    /// All lengths first, then each, shortest first; empty without positives.
    static func all(_ trials: [JudgedTrial]) -> [RetrievalFigures] {
        let positives = trials.filter { $0.record.trial.isPositive && $0.outcome != nil }
        guard !positives.isEmpty else { return [] }
        let lengths = Dictionary(grouping: positives, by: \.record.trial.cell.lengthSeconds)
        return [RetrievalFigures(nil, positives)]
            + lengths.sorted { $0.key < $1.key }.map { RetrievalFigures($0.key, $0.value) }
    }

    private init(_ lengthSeconds: Double?, _ positives: [JudgedTrial]) {
        func share(_ holds: (JudgedTrial) -> Bool) -> Proportion {
            Proportion(clustered: positives.map { ($0.cluster, holds($0)) })
        }
        func within(_ seconds: Double) -> Proportion {
            share { trial in trial.topOffsetErrorSeconds.map { abs($0) <= seconds } ?? false }
        }
        self.lengthSeconds = lengthSeconds
        exact = within(Self.exactSeconds)
        near = within(Self.nearSeconds)
        far = share { $0.rightRank == 1 }
        let ranks = positives.map(\.rightRank)
        top = Dictionary(
            uniqueKeysWithValues: Self.ranks.map { count in
                (count, share { RankedRetrieval.hits([$0.rightRank], within: count) == 1 })
            })
        meanReciprocalRank = RankedRetrieval.meanReciprocalRank(ranks)
    }
}

/// Costs and ranks in a folded section.
struct CostContent {
    let table: FigureTable
    let ranks: FigureTable
    let ratio: String

    /// Nil without positives or negatives.
    init?(_ model: ReportModel) {
        guard let figures = model.costs else { return nil }
        func cost(_ value: Double?) -> String {
            NumberText.optional(value) { NumberText.fixed($0, digits: 3) }
        }
        table = FigureTable(
            "Cost of decisions by the prior of a positive", label: "Cost of decisions",
            columns: ["Prior", "Own threshold", "Bayes threshold\nactDCF", "Best threshold\nminDCF"],
            rows: figures.costs.map {
                [NumberText.plain($0.prior), cost($0.own), cost($0.actual), cost($0.minimum)]
            })
        ranks = FigureTable(
            "Ranked answers of positives, whatever their score", label: "Ranked answers",
            columns: ["Query length", "Exact", "Near", "Far"] + RetrievalFigures.ranks.map { "Top \($0)" }
                + ["MRR"],
            rows: model.retrieval.map { one in
                let top = RetrievalFigures.ranks.compactMap { one.top[$0] }
                let shares: [Proportion] = [one.exact, one.near, one.far] + top
                let length = one.lengthSeconds.map(NumberText.length) ?? "all"
                return [length] + shares.map(NumberText.rate) + [cost(one.meanReciprocalRank)]
            })
        let least = "minCllr \(cost(figures.minimumLogLikelihoodRatioCost)) bits"
        ratio =
            figures.logLikelihoodRatioCost.map { "Cllr \(cost($0)) and \(least)." }
            ?? "The matcher states no confidence, so only \(least) is defined."
    }
}
