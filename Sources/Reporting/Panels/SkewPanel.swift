// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// How precise one of the two skews is, against the true skew, the query length and the noise.
package struct SkewScorecard: Sendable {
    package enum Estimate: String, Sendable, CaseIterable {
        /// f_query / f_reference − 1.
        case frequency
        /// Reference seconds per query second − 1.
        case time
    }

    package enum Factor: String, Sendable, CaseIterable {
        case all
        /// The true value of the same skew.
        case trueSkew
        case length
        /// The signal-to-noise ratio over the full band.
        case signalToNoise
    }

    /// The answers that share a range of a factor.
    package struct Row: Sendable {
        package let factor: Factor
        package let range: String
        /// Signed errors as fractions: of the free fit where there is one, else as answered.
        package let errors: ErrorSummary
        /// How many are within 1.96 of their stated standard errors.
        package let coverage: Proportion
        /// The median magnitude by ``SkewYardstick`` for queries of these lengths, a fraction.
        package let yardstick: Double
    }

    package let estimate: Estimate
    /// By factor, then rising; ranges without answers are left out.
    package let rows: [Row]

    /// The scorecards of the skews that correct answers state.
    static func all(_ trials: [JudgedTrial]) -> [SkewScorecard] {
        Estimate.allCases.compactMap { SkewScorecard($0, trials) }
    }

    private init?(_ estimate: Estimate, _ trials: [JudgedTrial]) {
        let answers = trials.compactMap { Answer(estimate, $0) }
        guard !answers.isEmpty else { return nil }
        self.estimate = estimate
        rows = Factor.allCases.flatMap { factor in
            let groups = Dictionary(grouping: answers) { $0.range(of: factor) }
            return groups.keys.sorted { $0.order < $1.order }.compactMap { range in
                Row(estimate, factor, range.text, groups[range] ?? [])
            }
        }
    }

    fileprivate struct Range: Hashable {
        let order: Double
        let text: String
    }

    /// A correct answer that states the skew.
    fileprivate struct Answer {
        let error: Double
        let truth: Double
        let standardError: Double?
        let lengthSeconds: Double
        let snrDecibels: Double?
        let cluster: String

        init?(_ estimate: Estimate, _ trial: JudgedTrial) {
            guard let truth = trial.record.truth else { return nil }
            let isTime = estimate == .time
            let free = isTime ? trial.freeTimeSkewError : trial.freeFrequencySkewError
            guard let error = free ?? (isTime ? trial.timeSkewError : trial.frequencySkewError),
                let skew = isTime ? truth.timeSkew : truth.frequencySkew
            else { return nil }
            self.error = error
            self.truth = skew
            // The stated error is that of the free fit.
            let stated = isTime ? trial.claim?.timeSkewStandardError : trial.claim?.frequencySkewStandardError
            standardError = free == nil ? nil : stated
            lengthSeconds = trial.record.trial.cell.lengthSeconds
            snrDecibels = trial.record.query?.snrDecibels
            cluster = trial.cluster
        }

        func range(of factor: Factor) -> Range {
            switch factor {
            case .all: Range(order: 0, text: "all correct answers")
            case .trueSkew: Self.range(ofSkew: truth * 100)
            case .length: Range(order: lengthSeconds, text: NumberText.length(lengthSeconds))
            case .signalToNoise: Self.range(ofRatio: snrDecibels)
            }
        }

        /// Ranges by signed magnitude; the ends belong to the inner range.
        private static func range(ofSkew percent: Double) -> Range {
            // A ratio of whole numbers is seldom an exact decimal.
            guard let place = [0.0, 1, 3, 5].lastIndex(where: { abs(percent) > $0 + 1e-7 }) else {
                return Range(order: 0, text: "0\(NumberText.blank)%")
            }
            let below = ["−1 to 0", "−3 to −1", "−5 to −3", "less than −5"]
            let above = ["0 to 1", "1 to 3", "3 to 5", "more than 5"]
            return Range(
                order: (percent < 0 ? -1 : 1) * Double(place + 1),
                text: (percent < 0 ? below : above)[place] + "\(NumberText.blank)%")
        }

        private static func range(ofRatio decibels: Double?) -> Range {
            guard let decibels else { return Range(order: .infinity, text: "nothing added") }
            let edges = [-10.0, -5, 0, 5, 10, 20]
            let texts = [
                "below −10 dB", "−10 to −5 dB", "−5 to 0 dB", "0 to 5 dB", "5 to 10 dB", "10 to 20 dB",
                "20 dB or more",
            ]
            // The actual ratio differs from the requested one by rounding.
            let place = edges.lastIndex { decibels >= $0 - 0.01 }.map { $0 + 1 } ?? 0
            return Range(order: Double(place), text: texts[place])
        }
    }
}

extension SkewScorecard.Row {
    fileprivate init?(
        _ estimate: SkewScorecard.Estimate, _ factor: SkewScorecard.Factor, _ range: String,
        _ answers: [SkewScorecard.Answer]
    ) {
        let yardsticks = answers.map { SkewYardstick.medianError(estimate, seconds: $0.lengthSeconds) }
        guard let errors = ErrorSummary(answers.map(\.error)),
            let yardstick = Percentile.of(yardsticks, at: 0.5)
        else { return nil }
        self.factor = factor
        self.range = range
        self.errors = errors
        self.yardstick = yardstick
        coverage = Proportion(
            clustered: answers.compactMap { answer in
                answer.standardError.map { (answer.cluster, abs(answer.error) <= 1.96 * $0) }
            })
    }
}

/// The error of a skew that ordinary spectral peaks give, to compare with the measured one.
///
/// It is not a bound: more or longer partials give less; noise, rooms and codecs give more. Errors of peaks are
/// assumed to be independent and normal.
package enum SkewYardstick {
    /// The error of one matched pair of landmarks in time, and the number of independent pairs a second.
    package static let timeError = (seconds: 0.005, perSecond: 6.0)
    /// The error of one peak's frequency as a fraction, and the number of peaks a second.
    ///
    /// The Cramér–Rao bound √6 / (2π d √(E/N₀)) is 0.3 Hz for a partial of 1 kHz. It lasts d = 0.128 s at 20 dB.
    /// Source: Rife and Boorstyn, IEEE Transactions on Information Theory 20(5), 1974.
    package static let frequencyError = (fraction: 3e-4, perSecond: 20.0)
    /// The median magnitude of a normal error with a standard deviation of 1.
    private static let medianOfNormal = 0.6745

    /// The median magnitude of the error in a query of some length, as a fraction.
    ///
    /// In time it is that of a line through n points spread evenly over the query, σ √(12 / n) / T; in
    /// frequency that of a mean of n, σ / √n.
    static func medianError(_ estimate: SkewScorecard.Estimate, seconds: Double) -> Double {
        switch estimate {
        case .time:
            let count = timeError.perSecond * seconds
            return medianOfNormal * timeError.seconds * (12 / count).squareRoot() / seconds
        case .frequency:
            return medianOfNormal * frequencyError.fraction
                / (frequencyError.perSecond * seconds).squareRoot()
        }
    }
}

/// The precision of skews in percent, by what it may depend on.
struct SkewPanel: ReportPanel {
    let cards: [SkewScorecard]

    init(_ model: ReportModel) { cards = SkewScorecard.all(model.trials) }

    static var tables: [RunTable] { [ranges] }

    var summary: [JSONObject.Entry] {
        [
            (
                "skew",
                Dictionary(uniqueKeysWithValues: cards.map { ($0.estimate.rawValue, $0.rows.map(Self.json)) })
            )
        ]
    }

    func section(_ model: ReportModel) -> FigureSection? {
        guard !cards.isEmpty else { return nil }
        return FigureSection(
            id: "precision", title: "Accuracy", text: "",
            folds: [
                FigureFold(
                    id: "skew",
                    summary: "Skew errors by true skew, query length and signal-to-noise ratio",
                    text:
                        "Errors of correct answers in percent, estimate minus truth. They are errors of "
                        + "the free fit, if the matcher states one. All columns except the bias are of "
                        + "magnitudes. Coverage is the share of errors within 1.96 of the stated standard "
                        + "errors. It is 95 % if the standard errors are right.",
                    tables: cards.map(Self.table),
                    more:
                        "The reference error is the error of ordinary spectral peaks. It is not a bound. "
                        + "For time it is the error of a line through 6 independent landmarks a second with "
                        + "errors of 5 ms. For frequency it is the error of the mean of 20 peaks a second "
                        + "with errors of 0.03 %, which is the Cramér–Rao bound of a 1 kHz partial of "
                        + "0.128 s at 20 dB above the noise.")
            ])
    }

    private static func table(_ card: SkewScorecard) -> FigureTable {
        let title = card.estimate == .frequency ? "Frequency skew" : "Time skew"
        let columns = Table(figures)
        func rows(_ factor: SkewScorecard.Factor) -> [[String]] {
            card.rows.filter { $0.factor == factor }.map(columns.cells)
        }
        var table = FigureTable(
            title, label: "\(title): errors", columns: columns.heads, hasNamesInHead: true, rows: rows(.all))
        // One range alone repeats what the row of all answers says.
        table.groups = [
            ("By true skew", rows(.trueSkew)), ("By query length", rows(.length)),
            ("By signal-to-noise ratio over the full band", rows(.signalToNoise)),
        ].filter { $0.1.count > 1 }.map { ($0, $1.map { FigureTable.row($0) }) }
        return table
    }

    private static var ranges: RunTable {
        typealias Row = (estimate: SkewScorecard.Estimate, row: SkewScorecard.Row)
        let skew = Table<Row>.Column("skew", "`frequency` or `time`", text: { $0.estimate.rawValue })
        return RunTable(
            "skew.csv", "One row for each skew, factor and range of the factor.",
            [skew] + figures.map { $0.map(\.row) }
        ) { model in
            model.skews.flatMap { card in card.rows.map { (card.estimate, $0) } }
        }
    }

    private static var figures: [Table<SkewScorecard.Row>.Column] {
        typealias Column = Table<SkewScorecard.Row>.Column
        func percent(
            _ name: String, _ meaning: String, _ head: String,
            _ value: @escaping (SkewScorecard.Row) -> Double
        ) -> Column {
            Column(name, meaning, head: head, as: { NumberText.significant($0 * 100) }, number: value)
        }
        return [
            Column("factor", "what the errors are grouped by", text: \.factor.rawValue),
            Column("range", "the group", text: { $0.range.replacing(NumberText.blank, with: " ") }),
            Column("Answers", for: \.range),
            Column("answers", "correct answers", head: "Count", count: \.errors.count),
            percent("bias", "mean error, estimate minus truth", "Bias\n%", \.errors.bias),
            percent("meanAbsolute", "mean magnitude", "Mean\n%", \.errors.meanAbsolute),
            percent("median", "median magnitude", "Median\n%", \.errors.medianAbsolute),
            Column("Reference error\n% median") { NumberText.significant($0.yardstick * 100) },
            percent(
                "percentile95", "95th percentile of the magnitudes", "p95\n%", \.errors.percentile95Absolute),
            percent("maximum", "largest magnitude", "Largest\n%", \.errors.maximumAbsolute),
            Column("yardstick", "median magnitude to compare with", number: \.yardstick),
            Column("Coverage\n95 % interval") { "\($0.coverage.text)\n\($0.coverage.range)" },
        ]
            + Column.share(
                "coverage", count: "Count", of: "Of",
                meanings: (
                    "errors within 1.96 stated standard errors", "answers with a stated standard error",
                    "their share"
                ), \.coverage)
    }
}

extension SkewPanel {
    private static func json(_ row: SkewScorecard.Row) -> JSONObject {
        [
            "factor": row.factor.rawValue, "range": row.range.replacing(NumberText.blank, with: " "),
            "errors": row.errors, "coverage": SummaryJSON.rate(row.coverage), "yardstick": row.yardstick,
        ]
    }
}

extension ReportModel {
    /// How precise the skews of correct answers are; empty where the matcher states none.
    package var skews: [SkewScorecard] { panel(SkewPanel.self)?.cards ?? [] }
}
