import Evaluation
import Metrics

enum ArenaTables {
    /// One row for each contestant, the best first.
    static func leaderboard(_ model: ArenaModel) -> String {
        typealias Column = CSVTable<ArenaStanding>.Column
        func errors(_ name: String, _ summary: @escaping (Scorecard) -> ErrorSummary?) -> [Column] {
            [
                Column("\(name)Median", number: { summary($0.model.overall)?.medianAbsolute }),
                Column("\(name)Percentile95", number: { summary($0.model.overall)?.percentile95Absolute }),
                Column("\(name)Count", count: { summary($0.model.overall)?.count }),
            ]
        }
        var columns = [
            Column("name", text: \.name), Column("rank", count: { $0.rank?.rank }),
            Column("rankLower", count: { $0.rank?.lower }), Column("rankUpper", count: { $0.rank?.upper }),
            Column("matcher", text: \.model.facts.matcher.name),
            Column("version", text: \.model.facts.matcher.version),
            Column("settings", text: { ArenaText.settings($0) }),
            Column("positives", count: \.model.overall.outcomes.positives),
            Column("negatives", count: \.model.overall.outcomes.negatives),
        ]
        columns += Column.share("recallAt1PercentFalseAccepts", \.recall)
        columns.append(
            Column(
                "thresholdAt1PercentFalseAccepts",
                number: { $0.isCensored ? nil : $0.threshold(at: ArenaStanding.falseAcceptRate) }))
        columns.append(Column("isCensored", flag: \.isCensored))
        columns += [
            Column("recallAt0FalseAccepts", number: { $0.model.overall.recallAtZeroFalseAccepts.rate }),
            Column(
                "recallAt0FalseAcceptsLower",
                number: { $0.model.overall.recallAtZeroFalseAcceptsInterval?.lower }),
            Column(
                "recallAt0FalseAcceptsUpper",
                number: { $0.model.overall.recallAtZeroFalseAcceptsInterval?.upper }),
        ]
        columns += Column.share("recallAtOwnThreshold", \.model.overall.recall)
        columns += Column.share("falseAcceptRateAtOwnThreshold", \.model.overall.falseAcceptRate)
        columns += Column.share("precisionAtOwnThreshold", \.model.overall.precision)
        columns += Column.share("topPrecisionAtOwnThreshold", \.model.overall.topPrecision)
        columns += Column.share("setRecallAtOwnThreshold", \.model.overall.setRecall)
        columns += Column.share("rightOneFirst", \.model.overall.rightTopAnswers)
        columns += errors("frequencySkewError", \.frequencySkewError)
        columns += errors("timeSkewError", \.timeSkewError)
        columns += errors("offsetErrorSeconds", \.offsetError)
        columns += errors("strictOffsetErrorSeconds", \.strictOffsetError)
        for (name, isStrict) in [("placed", false), ("strictlyPlaced", true)] {
            for (limit, seconds) in [("10Milliseconds", 0.01), ("100Milliseconds", 0.1)] {
                columns += Column.share("\(name)Within\(limit)") {
                    $0.placed(within: seconds, isStrict: isStrict)
                }
            }
        }
        columns += [
            Column("errors", count: \.model.overall.errors),
            Column("errorsOnPositives", count: \.positiveErrors),
        ]
        columns += Column.share("recallAt1PercentFalseAcceptsOfAnswered", \.answeredRecall)
        columns += [
            Column("restarts", count: \.model.facts.cost?.restarts),
            Column("processorMillisecondsFoundMedian", number: \.processor.found?.median),
            Column("processorMillisecondsFoundMean", number: \.processor.found?.mean),
            Column("processorMillisecondsUnknownMedian", number: \.processor.unknown?.median),
            Column("processorMillisecondsUnknownMean", number: \.processor.unknown?.mean),
            Column("latencyMillisecondsFoundMedian", number: \.model.overall.latency.found?.median),
            Column(
                "latencyMillisecondsFoundPercentile95", number: \.model.overall.latency.found?.percentile95),
            Column("latencyMillisecondsUnknownMedian", number: \.model.overall.latency.unknown?.median),
            Column(
                "latencyMillisecondsUnknownPercentile95",
                number: \.model.overall.latency.unknown?.percentile95),
            Column("enrolledAudioSecondsPerProcessorSecond", number: \.enrolmentRate),
            Column("indexBytes", count: \.model.facts.indexBytes),
            Column("peakMemoryBytes", count: \.model.facts.cost?.peakMemoryBytes),
            Column("peakMemoryIncludesJudge", flag: \.model.facts.cost?.peakIncludesJudge),
            Column("startedAt", text: \.model.facts.startedAt),
        ]
        return CSVTable(columns).text(model.standings)
    }

    static func pairs(_ model: ArenaModel) -> String {
        CSVTable<ArenaModel.Pair>([
            .init("first", text: { model.standings[$0.first].name }),
            .init("second", text: { model.standings[$0.second].name }),
            .init("positives", count: \.positives.count),
            .init("both", count: \.positives.both),
            .init("onlyFirst", count: \.positives.onlyBefore),
            .init("onlySecond", count: \.positives.onlyAfter),
            .init("neither", count: \.positives.neither),
            .init("recallDifference", number: \.difference.difference),
            .init("recallDifferenceLower", number: { $0.fitted?.lower }),
            .init("recallDifferenceUpper", number: { $0.fitted?.upper }),
            .init("probabilityHolm", number: \.probability),
            .init("errorsFirst", count: { $0.errors[0] }),
            .init("errorsSecond", count: { $0.errors[1] }),
        ]).text(model.pairs)
    }

    /// One row for each positive that only one contestant found.
    static func lone(_ model: ArenaModel) -> String {
        CSVTable<ArenaModel.Lone>([
            .init("trial", text: \.trialID), .init("conditions", text: \.title),
            .init("contestant", text: { model.standings[$0.standing].name }),
            .init("failed", text: { $0.failed.map { model.standings[$0].name }.joined(separator: " ") }),
        ]).text(model.lone)
    }

    /// One row for each contestant and condition.
    static func cells(_ model: ArenaModel) -> String {
        typealias Row = (standing: ArenaStanding, cell: CellScore, recall: Proportion)
        let rows = model.standings.flatMap { standing -> [Row] in
            let trials = Dictionary(grouping: standing.model.trials) { CellScore.Key($0.record) }
            return standing.model.cells.map { (standing, $0, standing.recall(of: trials[$0.key] ?? [])) }
        }
        return CSVTable<Row>([
            .init("contestant", text: { $0.standing.name }),
            .init("conditions", text: { $0.cell.group.title }),
            .init("degradation", text: { $0.cell.key.degradation }),
            .init("severity", text: { $0.cell.key.severity }),
            .init("lengthSeconds", number: { $0.cell.key.lengthSeconds }),
            .init("positives", count: { $0.recall.trials }),
            .init("recallAtOwnThreshold", number: { $0.cell.score.recall.rate }),
            .init("recallAt1PercentFalseAccepts", number: { $0.recall.rate }),
            .init("negatives", count: { $0.cell.score.falseAcceptRate.trials }),
            .init("falseAcceptRateAtOwnThreshold", number: { $0.cell.score.falseAcceptRate.rate }),
            .init("errors", count: { $0.cell.score.errors }),
        ]).text(rows)
    }
}
