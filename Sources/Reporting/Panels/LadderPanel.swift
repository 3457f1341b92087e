// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Evaluation
import Metrics

/// A rung of the ladder of relatedness, in all its conditions or in one.
package struct LadderRung: Sendable {
    package let rung: Rung
    /// The severity of the condition; nil for all conditions together.
    package let condition: String?
    /// The queries that the matcher accepts as a reference, a right one where there is one.
    package let accepted: Proportion
    /// The queries with a claim that names the reference of their own piece.
    package let ownPiece: Proportion
    /// The answers "related" of its queries.
    package let related: RelatedAnswers
    /// The mean confidence of the best candidates, 0 without one; nil where the matcher states none.
    package let stated: Double?
    /// The share of queries whose best candidate is right; nil where it is neither right nor wrong.
    package let observed: Double?

    fileprivate init?(_ rung: Rung, condition: String?, _ trials: [JudgedTrial], statesConfidence: Bool) {
        guard !trials.isEmpty else { return nil }
        self.rung = rung
        self.condition = condition
        accepted = Proportion(
            clustered: trials.map {
                ($0.cluster, rung.isSameRecording ? $0.outcome == .correct : $0.claim != nil)
            })
        ownPiece = Proportion(
            clustered: trials.map { trial in
                let piece = RenditionPlace.piece(of: trial.record.trial.source)
                return (trial.cluster, trial.claim.map { RenditionPlace.piece(of: $0.referenceID) } == piece)
            })
        related = RelatedAnswers(trials)
        let count = Double(trials.count)
        stated =
            statesConfidence
            ? trials.reduce(0) { $0 + ($1.record.candidates.first?.confidence ?? 0) } / count : nil
        observed =
            rung.permitsReference
            ? nil : Double(trials.count { $0.forecast?.happened ?? ($0.rightRank == 1) }) / count
    }
}

/// How well a matcher names references as other recordings of the same music, which is no claim of identity.
package struct RelatedAnswers: Sendable {
    /// Answers "related" that name the reference of their own piece on a rung of related music / all such answers.
    package let precision: Proportion
    /// Queries on rungs of related music with such a right answer / queries on these rungs.
    package let recall: Proportion

    init(_ trials: [JudgedTrial]) {
        precision = Proportion(
            clustered: trials.flatMap { trial in trial.relatedAnswers.map { (trial.cluster, $0) } })
        recall = Proportion(
            clustered: trials.filter { $0.record.trial.cell.rung?.isRelated == true }
                .map { ($0.cluster, $0.relatedAnswers.contains(true)) })
    }

    /// Names in words and in programs.
    static let figures: [(title: String, key: String, rate: @Sendable (RelatedAnswers) -> Proportion)] = [
        ("Related, precision", "relatedPrecision", \.precision),
        ("Related, recall", "relatedRecall", \.recall),
    ]
}

/// The share of queries accepted on each rung of a ladder of relatedness.
struct LadderPanel: ReportPanel {
    /// From the least related to the same recording, each with its conditions.
    let rungs: [(all: LadderRung, conditions: [LadderRung])]
    /// The confidences of best candidates, with equal weight of the rungs; nil where the matcher states none.
    let reliability: ReliabilityDiagram?
    /// Of all rungs; nil where the matcher names nothing as related.
    let related: RelatedAnswers?

    init(_ model: ReportModel) {
        let trials = model.trials.filter {
            $0.record.trial.cell.rung != nil && ($0.evidence != nil || $0.isPermitted)
        }
        let byRung = Dictionary(grouping: trials) { $0.record.trial.cell.rung ?? .unrelated }
        let statesConfidence = trials.contains { $0.forecast != nil }
        rungs = Rung.allCases.compactMap { rung in
            guard let members = byRung[rung],
                let all = LadderRung(rung, condition: nil, members, statesConfidence: statesConfidence)
            else { return nil }
            let conditions = members.grouped(by: \.record.trial.cell.severity).compactMap {
                LadderRung(rung, condition: $0, Array($1), statesConfidence: statesConfidence)
            }
            return (all, conditions)
        }
        related = trials.contains { !$0.relatedAnswers.isEmpty } ? RelatedAnswers(trials) : nil
        reliability = ReliabilityDiagram(
            trials.compactMap { trial in
                guard let forecast = trial.forecast, let rung = trial.record.trial.cell.rung else {
                    return nil
                }
                return .init(
                    probability: forecast.probability, happened: forecast.happened,
                    weight: 1 / Double(byRung[rung]?.count ?? 1), cluster: trial.cluster)
            })
    }

    static var tables: [RunTable] { [ladder] }

    var summary: [JSONObject.Entry] {
        rungs.isEmpty
            ? []
            : [
                (
                    "ladder",
                    rungs.map { Table(Self.columns.filter { $0.name != "relatedCount" }).object($0.all) }
                ), ("ladderCalibrationError", reliability?.expectedCalibrationError),
            ]
                + RelatedAnswers.figures.map { figure in
                    (figure.key, related.map { SummaryJSON.rate(figure.rate($0)) })
                }
    }

    func section(_ model: ReportModel) -> FigureSection? {
        guard !rungs.isEmpty else { return nil }
        return FigureSection(
            id: "ladder", title: "Accepted queries by relatedness",
            text:
                "Share of queries accepted, from unrelated music to the same recording, with 95 % intervals.",
            remarks: [
                "An accepted query is right on the rungs \(Self.names(\.isSameRecording)), neither right nor wrong on "
                    + "\(Self.names(\.permitsReference)) if it names its own piece, and a false accept on all other "
                    + "rungs. A rung is a step of relatedness between query and reference. A piece "
                    + "is one cluster of an interval."
                    + (reliability.map {
                        " The calibration error is \(NumberText.significant($0.expectedCalibrationError)), "
                            + "with equal weight for each rung."
                    } ?? "")
            ] + [relatedRemark].compactMap(\.self),
            bars: rungs.map { rung in
                let row = rung.all
                return FigureBar(
                    row.rung.rawValue, row.accepted,
                    detail: row.accepted.counts + Self.verdict(of: row.rung))
            }, folds: [FigureFold(summary: "Rungs by condition, with confidence", tables: [table])])
    }

    private var relatedRemark: String? {
        related.map {
            "An answer “related” is no claim. \($0.precision.textWithRange) of \($0.precision.trials.text) such answers are right: "
                + "they name the reference of their own piece on the rungs \(Self.names(\.isRelated)). They find "
                + "\($0.recall.textWithRange) of \($0.recall.trials.text("query", "queries")) on these rungs."
        }
    }

    private static func names(_ isMember: (Rung) -> Bool) -> String {
        Rung.allCases.filter(isMember).map { "“\($0.rawValue)”" }.joined(separator: ", ")
    }

    private static func verdict(of rung: Rung) -> String {
        rung.isSameRecording ? "" : rung.permitsReference ? ", neither right nor wrong" : ", none is right"
    }

    private var table: FigureTable {
        FigureTable(
            "Queries accepted by rung and condition", label: "Ladder of relatedness", Self.columns,
            styles: [1: "text", 2: "number lead"], rows: rungs.flatMap { [$0.all] + $0.conditions })
    }

    var terminal: TerminalPart {
        guard !rungs.isEmpty else { return TerminalPart() }
        let head = ["Relation to the reference", "accepted", "95 % interval", "", "confidence", "right"]
        let rows = rungs.map(\.all).map { rung in
            [
                rung.rung.rawValue, rung.accepted.text, rung.accepted.range, rung.accepted.counts,
                NumberText.share(rung.stated), NumberText.share(rung.observed),
            ]
        }
        let figures = related.map { related in
            RelatedAnswers.figures.map { figure in
                let rate = figure.rate(related)
                return [figure.title, rate.text, rate.range, rate.counts]
            }
        }
        return TerminalPart(rows: figures ?? [], table: [head] + rows)
    }

    private typealias Column = Table<LadderRung>.Column

    private static var ladder: RunTable {
        RunTable(
            "ladder.csv",
            "One row for each rung of a ladder of relatedness, and below it one for each condition.", columns,
            of: { $0.ladder.flatMap { [$0.all] + $0.conditions } })
    }

    private static var columns: [Column] {
        [
            Column("rung", "relation of query and reference", head: "rung", text: { $0.rung.rawValue }),
            Column("condition", "severity of the cell; empty for all together", text: { $0.condition }),
            Column("condition") { $0.condition ?? "all" },
            Column("isSameRecording", "whether the reference is right", flag: { $0.rung.isSameRecording }),
        ]
            + Column.share(
                "accepted", count: "Count", of: "Of",
                meanings: ("accepted queries", "queries", "accepted over queries"),
                heads: ["accepted", "95 % interval"], \.accepted) + [
                Column("counts", for: \.accepted.counts),
                Column("pieces", "pieces that queries come from", head: "pieces", count: \.accepted.clusters),
                Column(
                    "relatedCount", "queries whose top answer names the reference of their own piece",
                    count: \.ownPiece.successes), Column("own reference named", for: \.ownPiece.counts),
                Column(
                    "stated", "mean confidence of the best candidate, 0 without one", head: "confidence\n%",
                    as: percent, number: \.stated),
                Column(
                    "observed",
                    "share of queries whose best candidate is right; empty where it is neither right nor wrong",
                    head: "right\n%",
                    as: percent, number: \.observed),
            ]
            + Column.share(
                "relatedPrecision", count: "Count", of: "Of",
                meanings: (
                    "answers “related” that name the reference of their own piece on a rung of related music",
                    "answers “related”", "right answers “related” over all"
                ), \.related.precision)
            + Column.share(
                "relatedRecall", count: "Count", of: "Of",
                meanings: (
                    "queries with a right answer “related”", "queries, on a rung of related music",
                    "queries with a right answer “related” over queries"
                ), \.related.recall)
    }

    private static func percent(_ share: Double) -> String { NumberText.percent(share, trials: 100) }
}

extension ReportModel {
    /// The rungs of a ladder of relatedness; empty without one.
    package var ladder: [(all: LadderRung, conditions: [LadderRung])] {
        panel(LadderPanel.self)?.rungs ?? []
    }

    /// The expected calibration error with equal weight of the rungs; nil where no confidence is stated.
    package var ladderCalibrationError: Double? {
        panel(LadderPanel.self)?.reliability?.expectedCalibrationError
    }
}
