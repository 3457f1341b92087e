// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics

enum EvidenceCSV {
    /// `reliability.csv`: one row for each bin of stated confidence that holds an answer.
    ///
    /// Shares and means are weighted to one positive to one negative; the interval is of the observed share.
    static func reliability(_ model: ReportModel) -> String {
        CSVTable<ReliabilityDiagram.Bin>([
            .init("from", number: { $0.range.lower }),
            .init("to", number: { $0.range.upper }),
            .init("answers", count: { $0.count }),
            .init("share", number: { $0.share }),
            .init("stated", number: { $0.stated }),
            .init("observed", number: { $0.observed }),
            .init("observedLower", number: { $0.interval.lower }),
            .init("observedUpper", number: { $0.interval.upper }),
        ]).text(model.reliability?.bins ?? [])
    }

    /// `det.csv`: the corners of the detection error trade-off, from the threshold that claims nothing downwards.
    ///
    /// Rates are fractions; the probits are the same on normal-deviate axes, left empty at 0 and 1.
    static func detection(_ model: ReportModel) -> String {
        func probit(_ rate: Double) -> Double? {
            let value = NormalDistribution.quantile(rate)
            return value.isFinite ? value : nil
        }
        return CSVTable<DetectionCurve.Point>([
            .init("threshold", number: { $0.threshold }),
            .init("falseAcceptRate", number: { $0.falseAcceptRate }),
            .init("missRate", number: { $0.missRate }),
            .init("falseAcceptProbit", number: { probit($0.falseAcceptRate) }),
            .init("missProbit", number: { probit($0.missRate) }),
        ]).text(model.separation?.curve.points ?? [])
    }

    /// `snr.csv`: recall at each signal-to-noise ratio as counted and as fitted, by noise and query length.
    ///
    /// The interval is Wilson's for clustered trials. Each row repeats the figures of its curve: the ratios in decibels
    /// at a recall of 50 % and of 90 %, with their intervals. Outside the measured ratios they are empty, and the column
    /// that ends in `Beyond` holds `below` or `above`.
    static func noise(_ model: ReportModel) -> String {
        typealias Row = (curve: NoiseCurve, point: RecallCurve.Point)
        typealias Column = CSVTable<Row>.Column
        func crossing(_ name: String, _ place: Int) -> [Column] {
            [
                Column(name, number: { $0.curve.crossings[place]?.estimate?.value }),
                Column("\(name)Lower", number: { $0.curve.crossings[place]?.estimate?.interval.lower }),
                Column("\(name)Upper", number: { $0.curve.crossings[place]?.estimate?.interval.upper }),
                Column("\(name)Beyond", text: { $0.curve.crossings[place]?.beyond }),
            ]
        }
        var columns = [
            Column("noise", text: { $0.curve.noise }),
            Column("lengthSeconds", number: { $0.curve.lengthSeconds }),
            Column("snrDecibels", number: { $0.point.level }),
        ]
        columns += Column.share("recall", count: "Count", of: "Of") { $0.point.recall }
        columns += [
            Column("fitted", number: { row in row.curve.recall.fit.map { $0.rate(at: row.point.level) } }),
            Column("clusters", count: { $0.curve.recall.clusters }),
        ]
        columns += crossing("snrAt50", 0) + crossing("snrAt90", 1)
        return CSVTable(columns).text(
            model.noiseCurves.flatMap { curve in curve.recall.points.map { (curve, $0) } })
    }

    /// `costs.csv`: the cost of decisions at each prior of a positive.
    static func costs(_ model: ReportModel) -> String {
        typealias Row = (figures: CostFigures, cost: CostFigures.AtPrior)
        return CSVTable<Row>([
            .init("prior", number: { $0.cost.prior }),
            .init("ownDCF", number: { $0.cost.own }),
            .init("actDCF", number: { $0.cost.actual }),
            .init("minDCF", number: { $0.cost.minimum }),
            .init("cllr", number: { $0.figures.logLikelihoodRatioCost }),
            .init("minCllr", number: { $0.figures.minimumLogLikelihoodRatioCost }),
        ]).text(model.costs.map { figures in figures.costs.map { (figures, $0) } } ?? [])
    }

    /// `retrieval.csv`: ranked answers of all positives and at each query length.
    static func retrieval(_ model: ReportModel) -> String {
        typealias Column = CSVTable<RetrievalFigures>.Column
        let columns =
            [
                Column("lengthSeconds", number: { $0.lengthSeconds }),
                Column("positives", count: { $0.far.trials }),
                Column("exact", number: { $0.exact.rate }),
                Column("near", number: { $0.near.rate }),
                Column("far", number: { $0.far.rate }),
            ]
            + RetrievalFigures.ranks.map { rank in Column("top\(rank)", number: { $0.top[rank]?.rate }) }
            + [Column("meanReciprocalRank", number: { $0.meanReciprocalRank })]
        return CSVTable(columns).text(model.retrieval)
    }

    /// `skew.csv`: errors of the skews of correct answers, by true skew, query length and signal-to-noise ratio.
    ///
    /// Errors are fractions, estimate minus truth; all but the bias are of magnitudes. The coverage is the share
    /// within 1.96 of the stated standard errors; the yardstick is a median magnitude.
    static func skew(_ model: ReportModel) -> String {
        typealias Row = (estimate: SkewScorecard.Estimate, row: SkewScorecard.Row)
        typealias Column = CSVTable<Row>.Column
        let columns = [
            Column("skew", text: { $0.estimate.rawValue }),
            Column("factor", text: { $0.row.factor.rawValue }),
            Column("range", text: { $0.row.range.replacing(NumberText.blank, with: " ") }),
            Column("answers", count: { $0.row.errors.count }),
            Column("bias", number: { $0.row.errors.bias }),
            Column("meanAbsolute", number: { $0.row.errors.meanAbsolute }),
            Column("median", number: { $0.row.errors.medianAbsolute }),
            Column("percentile95", number: { $0.row.errors.percentile95Absolute }),
            Column("maximum", number: { $0.row.errors.maximumAbsolute }),
            Column("yardstick", number: { $0.row.yardstick }),
        ]
        let coverage = Column.share("coverage", count: "Count", of: "Of") { $0.row.coverage }
        return CSVTable(columns + coverage).text(
            model.skews.flatMap { card in card.rows.map { (card.estimate, $0) } })
    }
}

extension RecallCurve.Crossing {
    var estimate: ClusteredEstimate? {
        if case .within(let estimate) = self { estimate } else { nil }
    }

    /// The side of the measured levels; nil within them.
    var beyond: String? {
        switch self {
        case .within: nil
        case .below: "below"
        case .above: "above"
        }
    }
}
