// SPDX-License-Identifier: GPL-3.0-or-later
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
    /// Cllr in bits over stated confidences; nil where the matcher states none, or where all are of one kind.
    package let logLikelihoodRatioCost: ClusteredEstimate?
    /// minCllr in bits of the same answers, by confidence or else by score; nil where all are of one kind.
    package let minimumLogLikelihoodRatioCost: Double?
    /// Positives whose top answer is right.
    package let identification: Proportion

    /// Log-likelihood ratios are kept within plus and minus this, so that a certainty costs at most 52 bits.
    package static let largestLogLikelihoodRatio = 36.0

    /// Scores the trials that were run; nil without positives or without negatives.
    ///
    /// Decisions: the value of a positive is that of the right answer at the top, and that of a negative is that of its
    /// top answer. A query without one ranks below all others.
    ///
    /// Cllr judges each stated confidence by whether the answer that states it is right. So top answers count, right ones as
    /// targets and wrong ones as others, and a query without an answer states nothing. How many positives have a right top
    /// answer is ``identification``, a figure of its own.
    init?(_ trials: [JudgedTrial], seed: UInt64) {
        let run = JudgedTrial.distinct(trials.filter { $0.evidence != nil })
        let answers = run.compactMap { trial -> Answer? in
            guard trial.record.error == nil, let best = trial.record.candidates.first else { return nil }
            return Answer(
                cluster: trial.cluster, isPositive: trial.record.trial.isPositive,
                isRight: trial.rightRank == 1, score: best.score, confidence: best.confidence)
        }
        let statesConfidence = !answers.isEmpty && answers.allSatisfy { $0.confidence != nil }
        func value(_ answer: Answer) -> Double? {
            let value = statesConfidence ? answer.confidence.map(Self.logOdds) : answer.score
            return value.flatMap { $0.isNaN ? nil : $0 }
        }
        func ranked(_ isPositive: Bool) -> [Double] {
            let values = answers.filter { $0.isPositive == isPositive && $0.isRight == isPositive }
                .compactMap(value)
            let all = run.count { $0.record.trial.isPositive == isPositive }
            return values + [Double](repeating: -.infinity, count: all - values.count)
        }
        let (targets, others) = (ranked(true), ranked(false))
        guard !targets.isEmpty, !others.isEmpty else { return nil }
        let counts = OutcomeCounts(run.compactMap(\.outcome))
        costs = Self.priors.compactMap { prior in
            DetectionCost.minimum(targets: targets, others: others, prior: prior).map { minimum in
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
        let stated = answers.compactMap { answer in
            value(answer).map { (cluster: answer.cluster, value: $0, isTarget: answer.isRight) }
        }
        logLikelihoodRatioCost =
            statesConfidence
            ? DetectionCost.logLikelihoodRatioCost(
                stated, ClusterBootstrap(resamples: ReportModel.resamples, seed: seed)) : nil
        minimumLogLikelihoodRatioCost = DetectionCost.minimumLogLikelihoodRatioCost(
            targets: stated.filter(\.isTarget).map(\.value),
            others: stated.filter { !$0.isTarget }.map(\.value))
        identification = Proportion(
            clustered: run.filter(\.record.trial.isPositive).map { ($0.cluster, $0.rightRank == 1) })
    }

    /// The top answer to a query.
    private struct Answer {
        let cluster: String
        let isPositive: Bool
        let isRight: Bool
        let score: Double
        let confidence: Double?
    }

    /// The natural log-odds of a confidence at equal priors, which is a log-likelihood ratio.
    private static func logOdds(_ confidence: Double) -> Double {
        let odds = log(confidence / (1 - confidence))
        return odds.isNaN ? 0 : min(max(odds, -largestLogLikelihoodRatio), largestLogLikelihoodRatio)
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

/// The cost of the threshold, and ranked answers as neural papers report them.
struct CostPanel: ReportPanel {
    let costs: CostFigures?
    let retrieval: [RetrievalFigures]

    init(_ model: ReportModel) {
        costs = CostFigures(model.trials, seed: model.facts.seed)
        retrieval = RetrievalFigures.all(model.trials)
    }

    static var tables: [RunTable] { [priors, lengths] }

    var summary: [JSONObject.Entry] {
        [("detectionCost", costs.map(Self.json)), ("retrieval", retrieval.map(Self.json))]
    }

    func section(_ model: ReportModel) -> FigureSection? {
        costs.map { figures in
            FigureSection(
                id: "separation", title: "Scores", text: "",
                folds: [
                    FigureFold(
                        id: "costs",
                        summary:
                            "Cost of the threshold at four priors, and ranked answers as neural papers report them",
                        tables: [Self.table(figures), ranks])
                ])
        }
    }

    private static func cost(_ value: Double?) -> String { NumberText.fixed(value, digits: 3) }

    private static func table(_ figures: CostFigures) -> FigureTable {
        var table = FigureTable(
            "Cost of decisions by the prior of a positive", label: "Cost of decisions", priceColumns,
            rows: figures.costs)
        let least = figures.minimumLogLikelihoodRatioCost.map { "minCllr is \(cost($0)) bits" }
        let ratio =
            figures.logLikelihoodRatioCost.map { estimate in
                "Cllr is \(cost(estimate.value)) bits (\(cost(estimate.interval.lower))–\(cost(estimate.interval.upper)))"
            }
            ?? "There is no Cllr, because the matcher states no confidence, or because all answers are "
            + "right or all are wrong"
        let ratios = ([ratio] + [least].compactMap(\.self)).joined(separator: ", ")
        table.remark =
            "A miss and a false accept cost 1 each. Costs are weighted by the prior, and divided by the "
            + "cost of the better constant decision: accept all, or accept nothing. A confidence is read as "
            + "a log-likelihood ratio, so its Bayes threshold follows from the prior. "
            + "\(ratios). Cllr and minCllr judge the confidence of each top answer by whether this answer is "
            + "right. Confidences that say nothing cost 1. "
            + "\(figures.identification.text) of the positives (\(figures.identification.range)) "
            + "have a right top answer."
        return table
    }

    private var ranks: FigureTable {
        var table = FigureTable(
            "Ranked answers of positives, whatever their score", label: "Ranked answers",
            Self.retrievalColumns, rows: retrieval)
        table.remark =
            "Exact, near and far are right top answers within 0.25 s of the place, within 0.5 s, and at "
            + "any place. MRR is the mean of 1/rank, which is 0 beyond rank 10."
        return table
    }
}

extension CostPanel {
    private static var priors: RunTable {
        typealias Row = (figures: CostFigures, cost: CostFigures.AtPrior)
        typealias Column = Table<Row>.Column
        let prices = priceColumns.map { column in column.map(\Row.cost) }
        let ratios =
            [
                Column(
                    "cllr",
                    "cost over all priors of the stated log-likelihood ratios of top answers, right ones against wrong ones",
                    unit: "bits", number: { $0.figures.logLikelihoodRatioCost?.value }),
                Column(
                    "minCllr", "the least of it for any rising function of the score", unit: "bits",
                    number: { $0.figures.minimumLogLikelihoodRatioCost }),
                Column(
                    "identificationRate", "positives with a right top answer",
                    number: { $0.figures.identification.rate }),
            ]
            + Column.interval(lower: "cllrLower", upper: "cllrUpper", unit: "bits", kind: " by bootstrap") {
                $0.figures.logLikelihoodRatioCost?.interval
            }
        return RunTable("costs.csv", "One row for each prior of a positive.", prices + ratios) { model in
            model.costs.map { figures in figures.costs.map { (figures, $0) } } ?? []
        }
    }

    private static var priceColumns: [Table<CostFigures.AtPrior>.Column] {
        func cost(
            _ name: String, _ head: String, _ meaning: String,
            _ value: @escaping (CostFigures.AtPrior) -> Double?
        ) -> Table<CostFigures.AtPrior>.Column {
            .init(name, meaning, unit: "ratio", head: head, as: Self.cost, number: value)
        }
        return [
            .init(
                "prior", "share of queries of enrolled recordings", head: "prior", as: NumberText.plain,
                number: \.prior),
            cost(
                "ownDCF", "own threshold", "normalised detection cost at the matcher's own threshold", \.own),
            cost(
                "actDCF", "Bayes threshold\nactDCF",
                "the same at the Bayes threshold of the stated confidence", \.actual),
            cost(
                "minDCF", "best threshold\nminDCF", "the same at the best threshold for these answers",
                \.minimum),
        ]
    }

    private static var lengths: RunTable {
        RunTable(
            "retrieval.csv", "One row for all positives, then one for each query length.", retrievalColumns,
            of: \.retrieval)
    }

    private static var retrievalColumns: [Table<RetrievalFigures>.Column] {
        typealias Column = Table<RetrievalFigures>.Column
        func share(_ name: String, _ meaning: String, _ value: @escaping (RetrievalFigures) -> Proportion?)
            -> [Column]
        {
            [
                Column(name, meaning, number: { value($0)?.rate }),
                Column(name.replacing("top", with: "top ")) { NumberText.optional(value($0), \.text) },
            ]
        }
        return [
            Column("lengthSeconds", "query length; empty for all", number: \.lengthSeconds),
            Column("query length") { $0.lengthSeconds.map(NumberText.length) ?? "all" },
            Column("positives", "queries of enrolled recordings", count: \.far.trials),
        ] + share("exact", "right top candidate within 0.25 s of the place, whatever its score", \.exact)
            + share("near", "the same within 0.5 s", \.near)
            + share("far", "right top candidate at any place", \.far)
            + RetrievalFigures.ranks.flatMap { rank in
                share("top\(rank)", "right reference among the first \(rank) candidates") { $0.top[rank] }
            } + [
                Column(
                    "meanReciprocalRank", "mean of 1/rank of the first right reference", head: "MRR",
                    as: cost, number: \.meanReciprocalRank)
            ]
    }
}

extension CostPanel {
    private static func json(_ figures: CostFigures) -> JSONObject {
        [
            "priors": figures.costs.map(Table(priceColumns).object),
            "cllr": figures.logLikelihoodRatioCost.map(SummaryJSON.estimate),
            "minCllr": figures.minimumLogLikelihoodRatioCost,
            "identification": SummaryJSON.rate(figures.identification),
        ]
    }

    private static func json(_ figures: RetrievalFigures) -> JSONObject {
        [
            "lengthSeconds": figures.lengthSeconds, "exact": SummaryJSON.rate(figures.exact),
            "near": SummaryJSON.rate(figures.near), "far": SummaryJSON.rate(figures.far),
            "top": Dictionary(uniqueKeysWithValues: figures.top.map { ("\($0)", SummaryJSON.rate($1)) }),
            "meanReciprocalRank": figures.meanReciprocalRank,
        ]
    }
}

extension ReportModel {
    /// The cost of the threshold at stated priors; nil without positives or negatives.
    package var costs: CostFigures? { panel(CostPanel.self)?.costs }
    /// Ranked answers, whatever their score: all positives, then each query length.
    package var retrieval: [RetrievalFigures] { panel(CostPanel.self)?.retrieval ?? [] }
}
