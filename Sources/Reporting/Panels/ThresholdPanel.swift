// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics
import SystemIO

/// Which threshold to take: what each choice finds, accepts falsely and costs.
struct ThresholdPanel: ReportPanel {
    let table: ThresholdTable?

    init(_ model: ReportModel) { table = ThresholdTable(model.trials, seed: model.facts.seed) }

    static var tables: [RunTable] {
        [
            RunTable(
                "thresholds.csv",
                "One row for the matcher's own decision and for each goal, then for each of up to 100 thresholds.",
                ThresholdText.columns, of: { $0.panel(Self.self)?.table?.everyRow ?? [] })
        ]
    }

    var summary: [JSONObject.Entry] { [("thresholds", table.map(ThresholdText.json))] }

    func section(_ model: ReportModel) -> FigureSection? {
        guard let table, table.rows.count > 1 else { return nil }
        var figures = FigureTable(
            "Thresholds by what they are chosen for", label: "Choice of a threshold", ThresholdText.columns,
            rows: table.rows)
        figures.remark = ThresholdText.method
        return FigureSection(
            id: "separation", title: "Scores", text: "",
            folds: [
                FigureFold(
                    id: "thresholds", summary: "Which threshold to take", tables: [figures],
                    more: (ThresholdText.limits(of: table) + [ThresholdText.words(of: table.prices)])
                        .joined(separator: " "))
            ])
    }
}

/// The choice of a threshold in each form: text for a terminal, CSV and JSON.
package struct ThresholdText {
    private let table: ThresholdTable
    private let facts: RunFacts
    private let goal: ThresholdGoal

    /// Advises on the threshold of a run.
    ///
    /// - Parameters:
    ///   - wanted: The share of unknown queries that may be accepted; nil asks for the least expected cost.
    ///   - confidence: The least probability that as many queries of other recordings keep to that share; nil for about.
    ///   - conditions: Only these; empty takes all.
    ///   - prices: The share of queries of enrolled recordings, and the price of each mistake; that of a wrong reference
    ///     is that of a false accept if nil.
    /// - Throws: ``MeasurementError`` for an unknown condition, or where the run has no answers to choose by.
    package init(
        _ records: [TrialRecord], _ facts: RunFacts, falseAccepts wanted: Double?,
        confidence: Double? = nil,
        conditions: [String] = [],
        prices: (prior: Double, falseAccept: Double, miss: Double, wrongReference: Double?)
    ) throws {
        let goal =
            wanted.map { wanted -> ThresholdGoal in
                confidence.map { .boundedFalseAccepts(atMost: wanted, confidence: $0) }
                    ?? .falseAccepts(about: wanted)
            } ?? .leastCost
        let trials = try JudgedTrial.ofConditions(
            conditions, among: records.map { JudgedTrial($0, threshold: facts.scoreThreshold) })
        let table = ThresholdTable(
            trials, wanted: goal,
            prices: DecisionPrices(
                prior: prices.prior, falseAccept: prices.falseAccept, miss: prices.miss,
                wrongReference: prices.wrongReference), seed: facts.seed)
        guard let table else { throw MeasurementError("the run has no finished trial to choose by") }
        self.table = table
        self.facts = facts
        self.goal = goal
    }

    /// The answer, what limits it, and the table.
    package var plain: String {
        let columns = Table(Self.columns)
        let rows = [columns.heads] + table.rows.map(columns.cells)
        let lines = rows.flatMap { row -> [[String]] in
            let parts = row.map {
                $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            }
            let count = parts.map(\.count).max() ?? 1
            return (0..<count).map { line in parts.map { line < $0.count ? $0[line] : "" } }
        }
        let text = answer + Self.limits(of: table, goal) + [Self.words(of: table.prices), Self.method]
        return TableText.joined(
            text.flatMap { TableText.folded($0, columns: 96) } + [""]
                + TableText.aligned(lines, flushRight: Set(1..<columns.heads.count))) + "\n"
    }

    package var csv: String { Table(Self.columns).csv(table.everyRow) }

    package func json() throws -> String {
        try JSONText.pretty(
            JSONObject([
                ("matcher", "\(facts.matcher.name) \(facts.matcher.version)"), ("plan", facts.planName),
                ("wantedFalseAcceptRate", goal.falseAcceptRate), ("thresholds", Self.json(table)),
            ]))
    }

    /// The threshold and its figures, in lines.
    private var answer: [String] {
        let what =
            "\(facts.matcher.name) \(facts.matcher.version), plan \(facts.planName): "
            + "\(table.positives.text("query", "queries")) of enrolled recordings, "
            + "\(table.negatives.text) of others, \(table.recordings.text("recording"))"
        guard let row = table.row(for: .goal(goal)) else {
            return [
                what,
                "No threshold can be chosen: the run has no \(table.negatives == 0 ? "negatives" : "positives").",
            ]
        }
        let name = Self.name(of: row)
        let head =
            row.threshold.map { "Threshold \(formatNumber($0)) (\(name))" }
            ?? "No threshold reaches the goal (\(name)): accept nothing"
        let range = row.foldThresholds.map {
            "; parts of the recordings choose \(formatNumber($0.lower)) to \(formatNumber($0.upper))"
        }
        let others =
            row.isCrossFitted
            ? "On recordings that had no part in the choice" : "On the recordings that chose it"
        let figures =
            "\(others), it finds \(row.point.recall.counts) queries of enrolled recordings, and "
            + "accepts \(row.point.falseAccepts.counts) of others"
        let bound = table.evidence(for: goal).flatMap { evidence in
            evidence.isBound && evidence.isShown
                ? "In the run the threshold accepts \(evidence.falseAccepts.counts) of others. Among as many of "
                    + "other recordings the rate is at most \(Self.percent(evidence.bound)) "
                    + "(\(Self.confidence(evidence.confidence)))" : nil
        }
        return [what, head + (range ?? ""), figures] + (bound.map { [$0] } ?? [])
    }
}

extension ThresholdText {
    static let method =
        "A threshold is the least accepted score. Figures of a chosen threshold are cross-fitted: each "
        + "recording is judged at the threshold that the other recordings choose. Ranges are 95 % intervals "
        + "by recording. \"About\" is kept on average: half of such thresholds accept more of other recordings."

    static func words(of prices: DecisionPrices) -> String {
        let plain = NumberText.plain
        return "Expected cost is the cost of one query, at a price of \(plain(prices.falseAccept)) for a "
            + "false accept, \(plain(prices.miss)) for a miss and \(plain(prices.wrongReference)) for a "
            + "wrong reference, if \(NumberText.share(prices.prior)) of the queries are of enrolled "
            + "recordings."
    }

    /// What the run cannot tell.
    ///
    /// - Parameter goal: what was asked for; the least cost takes the lowest rate of the table.
    static func limits(of table: ThresholdTable, _ goal: ThresholdGoal = .leastCost) -> [String] {
        var limits: [String] = []
        if table.negatives == 0 {
            limits.append(
                "The run has no negatives, so it shows no rate of false accepts. Choose a plan with "
                    + "negatives, or add --negative-folds.")
        } else if table.positives == 0 {
            limits.append("The run has no positives, so it shows no recall.")
        }
        if table.isOneScore {
            limits.append("All answers have the same score, so no threshold separates them.")
        }
        let goals = table.rows.dropFirst()
        if !goals.isEmpty, !goals.contains(where: \.isCrossFitted) {
            limits.append(
                (table.recordings < 2
                    ? "All queries come from one recording" : "All negatives come from one recording")
                    + ", so no threshold could be judged on other recordings. The figures are of the "
                    + "trials that chose the threshold, so they are too good."
            )
        }
        let lowest = ThresholdTable.usualRates.filter { $0 > 0 }.min().map(ThresholdGoal.falseAccepts)
        if let evidence = (goal == .leastCost ? lowest : goal).flatMap(table.evidence(for:)),
            !evidence.isShown
        {
            limits.append(words(of: evidence, table))
        }
        return limits
    }

    private static func words(of evidence: ThresholdTable.Evidence, _ table: ThresholdTable) -> String {
        let rate = share(evidence.wanted)
        let needed = NumberText.significant(evidence.negativesNeeded)
        return "This run cannot show a rate of \(rate): with \(evidence.falseAccepts.counts) negatives of "
            + "\(table.negativeRecordings.text("recording")) accepted, the rate on "
            + (evidence.isBound ? "as many " : "") + "other recordings may be "
            + "up to \(percent(evidence.bound)) (\(confidence(evidence.confidence))). "
            + (evidence.isBound ? "About " : "By the rule of three, about ")
            + "\(needed) negatives, each of another recording and none accepted, "
            + "would show \(rate). Evaluate with more negatives, such as those of --plan negatives."
    }

    private static func share(_ rate: Double) -> String {
        "\(NumberText.plain(rate * 100))\(NumberText.blank)%"
    }

    private static func percent(_ rate: Double) -> String {
        "\(NumberText.significant(rate * 100))\(NumberText.blank)%"
    }

    private static func confidence(_ confidence: Double) -> String { "\(share(confidence)) confidence" }

    /// With the lowest and the highest that parts of the recordings choose on a second line.
    private static func threshold(of row: ThresholdTable.Row) -> String {
        let range = row.foldThresholds.map { "\n\(formatNumber($0.lower)) to \(formatNumber($0.upper))" }
        let threshold = row.threshold.map(formatNumber) ?? (row.purpose == .own ? NumberText.missing : "none")
        return threshold + (range ?? "")
    }

    private static func text(of figure: ThresholdFigure, in point: OperatingPoint) -> String {
        if let rate = figure.rate(of: point) {
            return rate.trials == 0 ? NumberText.missing : "\(rate.text)\n\(rate.range)"
        }
        func price(_ value: Double) -> String { NumberText.significant(value, digits: 3) }
        let interval = figure.interval(of: point).map { "\n\(price($0.lower))–\(price($0.upper))" }
        return NumberText.optional(figure.number(in: point)) { price($0) + (interval ?? "") }
    }

    private static func name(of row: ThresholdTable.Row) -> String {
        switch row.purpose {
        case .own: "its own decision"
        case .goal(.leastCost): "least expected cost"
        case .goal(.falseAccepts(about: 0)): "no false accept in the run"
        case .goal(.falseAccepts(let rate)): "about \(share(rate)) false accepts"
        case .goal(.boundedFalseAccepts(let rate, let confidence)):
            "at most \(share(rate)) false accepts, \(self.confidence(confidence))"
        case .any: ""
        }
    }

    typealias Column = Table<ThresholdTable.Row>.Column

    static var columns: [Column] {
        let place = [
            Column(
                "goal",
                "`own` decision, `falseAccepts`, `boundedFalseAccepts`, `leastCost`, or empty for any threshold",
                text: goal),
            Column("Chosen for", for: name),
            Column(
                "wantedFalseAcceptRate", "the share of negatives that the goal allows",
                number: { $0.falseAcceptRate }),
            Column(
                "confidence",
                "the least probability that as many other negatives keep to that share; empty for an average",
                unit: "fraction", number: { $0.confidence }),
            Column(
                "threshold",
                "least accepted score; empty for the own decision, and where nothing is accepted",
                unit: "score", number: { $0.threshold }), Column("Threshold", for: threshold),
            Column(
                "foldThresholdLower", "the lowest threshold that a part of the recordings chooses",
                unit: "score", number: { $0.foldThresholds?.lower }),
            Column(
                "foldThresholdUpper", "the highest of them", unit: "score",
                number: { $0.foldThresholds?.upper }),
            Column(
                "isCrossFitted", "whether each recording is judged at the threshold that others choose",
                flag: { $0.isCrossFitted }),
        ]
        return place
            + ThresholdFigure.all.flatMap { figure -> [Column] in
                let counts: [Column] =
                    switch figure.value {
                    case .rate(let rate):
                        [
                            Column("\(figure.id)Count", "those counted", count: { rate($0.point).successes }),
                            Column("\(figure.id)Of", "of these", count: { rate($0.point).trials }),
                        ]
                    case .price: []
                    }
                let unit = counts.isEmpty ? "ratio" : "fraction"
                return counts + [
                    Column(figure.id, figure.meaning, unit: unit, number: { figure.number(in: $0.point) })
                ]
                    + Column.interval(lower: "\(figure.id)Lower", upper: "\(figure.id)Upper", unit: unit) {
                        figure.interval(of: $0.point)
                    } + [Column(figure.title) { text(of: figure, in: $0.point) }]
            }
    }

    static func json(_ table: ThresholdTable) -> JSONObject {
        [
            "positives": table.positives, "negatives": table.negatives, "recordings": table.recordings,
            "prices": table.prices, "rows": table.rows.map(json),
        ]
    }

    private static func json(_ row: ThresholdTable.Row) -> JSONObject {
        let figures = ThresholdFigure.all.map { figure -> JSONObject.Entry in
            if let rate = figure.rate(of: row.point) { return (figure.id, SummaryJSON.rate(rate)) }
            let interval = figure.interval(of: row.point)
            let price: JSONObject = [
                "value": figure.number(in: row.point), "lower": interval?.lower, "upper": interval?.upper,
            ]
            return (figure.id, price)
        }
        return JSONObject(
            [
                ("goal", goal(of: row)), ("wantedFalseAcceptRate", row.falseAcceptRate),
                ("threshold", row.threshold), ("foldThresholds", row.foldThresholds),
                ("isCrossFitted", row.isCrossFitted),
            ] + (row.confidence.map { [("confidence", $0)] } ?? []) + figures)
    }

    private static func goal(of row: ThresholdTable.Row) -> String {
        switch row.purpose {
        case .own: "own"
        case .goal(.falseAccepts): "falseAccepts"
        case .goal(.boundedFalseAccepts): "boundedFalseAccepts"
        case .goal(.leastCost): "leastCost"
        case .any: ""
        }
    }

}

extension ThresholdTable.Row {
    fileprivate var falseAcceptRate: Double? {
        if case .goal(let goal) = purpose { goal.falseAcceptRate } else { nil }
    }

    fileprivate var confidence: Double? {
        if case .goal(.boundedFalseAccepts(_, let confidence)) = purpose { confidence } else { nil }
    }
}

extension ThresholdGoal {
    fileprivate var falseAcceptRate: Double? {
        switch self {
        case .falseAccepts(let rate), .boundedFalseAccepts(let rate, _): rate
        case .leastCost: nil
        }
    }
}

extension ThresholdTable {
    fileprivate var everyRow: [Row] { rows + sweep }
}
