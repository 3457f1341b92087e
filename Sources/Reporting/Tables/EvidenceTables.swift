// SPDX-License-Identifier: GPL-3.0-or-later
import Metrics

extension RunTable {
    /// Shares and means are weighted to one positive to one negative; the interval is of the observed share.
    static var reliability: RunTable {
        typealias Column = CSVTable<ReliabilityDiagram.Bin>.Column
        let columns = [
            Column("from", "lower end of the bin", unit: "fraction", number: { $0.range.lower }),
            Column("to", "upper end of the bin", unit: "fraction", number: { $0.range.upper }),
            Column("answers", "best candidates in the bin", count: { $0.count }),
            Column(
                "share", "their share, weighted to one positive to one negative", unit: "fraction",
                number: { $0.share }),
            Column("stated", "mean confidence", unit: "fraction", number: { $0.stated }),
            Column("observed", "share that was right", unit: "fraction", number: { $0.observed }),
        ]
        let ends = Column.interval(lower: "observedLower", upper: "observedUpper") { $0.interval }
        return RunTable(
            "reliability.csv", "One row for each bin of stated confidence that holds an answer.",
            columns + ends, of: { $0.reliability?.bins ?? [] })
    }

    static var detection: RunTable {
        typealias Column = CSVTable<DetectionCurve.Point>.Column
        func probit(_ name: String, _ rate: @escaping (DetectionCurve.Point) -> Double) -> Column {
            Column(
                name, "the rate on a normal-deviate axis; empty at 0 and 1", unit: "deviates",
                number: { point in
                    let value = NormalDistribution.quantile(rate(point))
                    return value.isFinite ? value : nil
                })
        }
        return RunTable(
            "det.csv",
            "One row for each corner of the curve, from the threshold that accepts nothing downwards.",
            [
                Column(
                    "threshold", "lowest accepted score; empty where nothing is accepted", unit: "score",
                    number: { $0.threshold }),
                Column(
                    "falseAcceptRate", "negatives accepted", unit: "fraction",
                    number: { $0.falseAcceptRate }),
                Column(
                    "missRate", "positives without a right answer", unit: "fraction",
                    number: { $0.missRate }),
                probit("falseAcceptProbit", \.falseAcceptRate), probit("missProbit", \.missRate),
            ], of: { $0.separation?.curve.points ?? [] })
    }

    /// Each row repeats the figures of its curve.
    static var noise: RunTable {
        typealias Row = (curve: NoiseCurve, point: RecallCurve.Point)
        typealias Column = CSVTable<Row>.Column
        func crossing(_ place: Int) -> [Column] {
            let percent = NumberText.plain(NoiseCurve.wantedRecalls[place] * 100)
            let name = "snrAt\(percent)"
            func interval(_ row: Row) -> Interval? { row.curve.crossings[place]?.estimate?.interval }
            return [
                Column(
                    name, "ratio at which the fit reaches \(percent) % recall", unit: "dB",
                    number: { $0.curve.crossings[place]?.estimate?.value })
            ] + Column.interval(lower: "\(name)Lower", upper: "\(name)Upper", unit: "dB", interval) + [
                Column(
                    "\(name)Beyond", "`below` or `above` where that is outside the measured ratios",
                    text: { $0.curve.crossings[place]?.beyond })
            ]
        }
        var columns = [
            Column("noise", "kind of noise", text: { $0.curve.noise }),
            Column("lengthSeconds", "query length", unit: "s", number: { $0.curve.lengthSeconds }),
            Column("snrDecibels", "requested ratio", unit: "dB", number: { $0.point.level }),
        ]
        columns += Column.share(
            "recall", count: "Count", of: "Of",
            meanings: ("correct answers", "positives", "recall as counted")
        ) { $0.point.recall }
        columns += [
            Column(
                "fitted", "recall of the fitted curve", unit: "fraction",
                number: { row in row.curve.recall.fit.map { $0.rate(at: row.point.level) } }),
            Column("clusters", "classes in the curve", count: { $0.curve.recall.clusters }),
        ]
        columns += NoiseCurve.wantedRecalls.indices.flatMap(crossing)
        return RunTable("snr.csv", "One row for each noise, query length and ratio.", columns) { model in
            model.noiseCurves.flatMap { curve in curve.recall.points.map { (curve, $0) } }
        }
    }

    static var costs: RunTable {
        typealias Row = (figures: CostFigures, cost: CostFigures.AtPrior)
        typealias Column = CSVTable<Row>.Column
        let columns = [
            Column(
                "prior", "share of queries of enrolled recordings", unit: "fraction",
                number: { $0.cost.prior }),
            Column(
                "ownDCF", "normalised detection cost at the matcher's own threshold", unit: "ratio",
                number: { $0.cost.own }),
            Column(
                "actDCF", "the same at the Bayes threshold of the stated confidence", unit: "ratio",
                number: { $0.cost.actual }),
            Column(
                "minDCF", "the same at the best threshold for these answers", unit: "ratio",
                number: { $0.cost.minimum }),
            Column(
                "cllr", "cost of the stated log-likelihood ratios over all priors", unit: "bits",
                number: { $0.figures.logLikelihoodRatioCost }),
            Column(
                "minCllr", "the least of it for any rising function of the score", unit: "bits",
                number: { $0.figures.minimumLogLikelihoodRatioCost }),
        ]
        return RunTable("costs.csv", "One row for each prior of a positive.", columns) { model in
            model.costs.map { figures in figures.costs.map { (figures, $0) } } ?? []
        }
    }

    static var retrieval: RunTable {
        typealias Column = CSVTable<RetrievalFigures>.Column
        let places = [
            Column(
                "lengthSeconds", "query length; empty for all", unit: "s", number: { $0.lengthSeconds }),
            Column("positives", "queries of enrolled recordings", count: { $0.far.trials }),
            Column(
                "exact", "right top candidate within 0.25 s of the place, whatever its score",
                unit: "fraction", number: { $0.exact.rate }),
            Column("near", "the same within 0.5 s", unit: "fraction", number: { $0.near.rate }),
            Column("far", "right top candidate at any place", unit: "fraction", number: { $0.far.rate }),
        ]
        let ranks = RetrievalFigures.ranks.map { rank in
            Column(
                "top\(rank)", "right reference among the first \(rank) candidates", unit: "fraction",
                number: { $0.top[rank]?.rate })
        }
        let mean = Column(
            "meanReciprocalRank", "mean of 1/rank of the first right reference", unit: "fraction",
            number: { $0.meanReciprocalRank })
        return RunTable(
            "retrieval.csv", "One row for all positives, then one for each query length.",
            places + ranks + [mean], of: \.retrieval)
    }

    static var skew: RunTable {
        typealias Row = (estimate: SkewScorecard.Estimate, row: SkewScorecard.Row)
        typealias Column = CSVTable<Row>.Column
        func error(_ name: String, _ meaning: String, _ value: @escaping (ErrorSummary) -> Double) -> Column {
            Column(name, meaning, unit: "fraction", number: { value($0.row.errors) })
        }
        let columns = [
            Column("skew", "`frequency` or `time`", text: { $0.estimate.rawValue }),
            Column("factor", "what the errors are grouped by", text: { $0.row.factor.rawValue }),
            Column("range", "the group", text: { $0.row.range.replacing(NumberText.blank, with: " ") }),
            Column("answers", "correct answers", count: { $0.row.errors.count }),
            error("bias", "mean error, estimate minus truth", \.bias),
            error("meanAbsolute", "mean magnitude", \.meanAbsolute),
            error("median", "median magnitude", \.medianAbsolute),
            error("percentile95", "95th percentile of the magnitudes", \.percentile95Absolute),
            error("maximum", "largest magnitude", \.maximumAbsolute),
            Column(
                "yardstick", "median magnitude to compare with", unit: "fraction",
                number: { $0.row.yardstick }),
        ]
        let coverage = Column.share(
            "coverage", count: "Count", of: "Of",
            meanings: (
                "errors within 1.96 stated standard errors", "answers with a stated standard error",
                "their share"
            )
        ) { $0.row.coverage }
        return RunTable(
            "skew.csv", "One row for each skew, factor and range of the factor.", columns + coverage
        ) { model in
            model.skews.flatMap { card in card.rows.map { (card.estimate, $0) } }
        }
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
