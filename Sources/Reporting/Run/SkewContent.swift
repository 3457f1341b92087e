import Metrics

/// The precision of one skew, by what it may depend on.
struct SkewContent {
    struct Group {
        let title: String
        let hasTitle: Bool
        let rows: [Row]
    }

    /// The answers in one range; errors in percent.
    struct Row {
        let range: String
        let count: Figure
        let bias: Figure
        let meanAbsolute: Figure
        let median: Figure
        let yardstick: Figure
        let percentile95: Figure
        let maximum: Figure
        let coverage: String
        let interval: String
    }

    let title: String
    let groups: [Group]

    /// The tables of a run: frequency first, then time.
    static func all(_ model: ReportModel) -> [SkewContent] { model.skews.map(SkewContent.init) }

    private init(_ card: SkewScorecard) {
        title = card.estimate == .frequency ? "Frequency skew" : "Time skew"
        groups = SkewScorecard.Factor.allCases.compactMap { factor in
            let rows = card.rows.filter { $0.factor == factor }
            // One range alone repeats what the row of all answers says.
            guard factor == .all || rows.count > 1 else { return nil }
            return Group(
                title: Self.title(of: factor), hasTitle: factor != .all, rows: rows.map(Self.row))
        }
    }

    private static func title(of factor: SkewScorecard.Factor) -> String {
        switch factor {
        case .all: ""
        case .trueSkew: "By true skew"
        case .length: "By query length"
        case .signalToNoise: "By signal-to-noise ratio over the full band"
        }
    }

    private static func row(_ row: SkewScorecard.Row) -> Row {
        func percent(_ fraction: Double) -> Figure { Figure(fraction) { NumberText.significant($0 * 100) } }
        let errors = row.errors
        return Row(
            range: row.range, count: Figure(errors.count), bias: percent(errors.bias),
            meanAbsolute: percent(errors.meanAbsolute), median: percent(errors.medianAbsolute),
            yardstick: percent(row.yardstick), percentile95: percent(errors.percentile95Absolute),
            maximum: percent(errors.maximumAbsolute), coverage: NumberText.rate(row.coverage),
            interval: NumberText.interval(row.coverage))
    }
}
