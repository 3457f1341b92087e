import Evaluation
import Metrics

enum ArenaTables {
    /// One row for each contestant, the best first.
    static func leaderboard(_ model: ArenaModel) -> String {
        typealias Column = CSVTable<ArenaStanding>.Column
        func share(_ name: String, _ share: @escaping (ArenaStanding) -> Proportion) -> [Column] {
            [
                Column(name, number: { share($0).rate }),
                Column("\(name)Lower", number: { share($0).wilsonInterval()?.lower }),
                Column("\(name)Upper", number: { share($0).wilsonInterval()?.upper }),
            ]
        }
        func errors(_ name: String, _ summary: @escaping (Scorecard) -> ErrorSummary?) -> [Column] {
            [
                Column("\(name)Median", number: { summary($0.model.overall)?.medianAbsolute }),
                Column("\(name)Percentile95", number: { summary($0.model.overall)?.percentile95Absolute }),
                Column("\(name)Count", count: { summary($0.model.overall)?.count }),
            ]
        }
        var columns = [
            Column("name", text: \.name), Column("matcher", text: \.model.facts.matcher.name),
            Column("version", text: \.model.facts.matcher.version),
            Column("settings", text: { ArenaText.settings($0) }),
            Column("positives", count: \.model.overall.outcomes.positives),
            Column("negatives", count: \.model.overall.outcomes.negatives),
        ]
        columns += share("recallAt1PercentFalseAccepts", \.recall)
        columns.append(Column("thresholdAt1PercentFalseAccepts", number: \.threshold))
        columns += share("recallAt0FalseAccepts", \.model.overall.recallAtZeroFalseAccepts)
        columns += share("recallAtOwnThreshold", \.model.overall.recall)
        columns += share("falseAcceptRateAtOwnThreshold", \.model.overall.falseAcceptRate)
        columns += share("precisionAtOwnThreshold", \.model.overall.precision)
        columns += share("rightOneFirst", \.model.overall.rightTopAnswers)
        columns += errors("frequencySkewError", \.frequencySkewError)
        columns += errors("timeSkewError", \.timeSkewError)
        columns += errors("offsetErrorSeconds", \.offsetError)
        columns += errors("strictOffsetErrorSeconds", \.strictOffsetError)
        for (name, isStrict) in [("placed", false), ("strictlyPlaced", true)] {
            for (limit, seconds) in [("10Milliseconds", 0.01), ("100Milliseconds", 0.1)] {
                columns += share("\(name)Within\(limit)") { $0.placed(within: seconds, isStrict: isStrict) }
            }
        }
        columns += [
            Column("errors", count: \.model.overall.errors),
            Column("restarts", count: \.model.facts.cost?.restarts),
            Column("processorMillisecondsMedian", number: \.processor?.median),
            Column("processorMillisecondsMean", number: \.meanProcessorMilliseconds),
            Column("processorMillisecondsPercentile95", number: \.processor?.percentile95),
            Column("latencyMillisecondsMedian", number: \.model.overall.latency?.median),
            Column("latencyMillisecondsPercentile95", number: \.model.overall.latency?.percentile95),
            Column("enrolledAudioSecondsPerProcessorSecond", number: \.enrolmentRate),
            Column("indexBytes", count: \.model.facts.indexBytes),
            Column("peakMemoryBytes", count: \.model.facts.cost?.peakMemoryBytes),
            Column("peakMemoryIncludesJudge", flag: \.model.facts.cost?.peakIncludesJudge),
            Column("startedAt", text: \.model.facts.startedAt),
        ]
        return CSVTable(columns: columns).text(model.standings)
    }

    /// One row for each pair of contestants.
    static func pairs(_ model: ArenaModel) -> String {
        typealias Column = CSVTable<ArenaModel.Pair>.Column
        return CSVTable(columns: [
            Column("first", text: { model.standings[$0.first].name }),
            Column("second", text: { model.standings[$0.second].name }),
            Column("positives", count: \.positives.count),
            Column("both", count: \.positives.both),
            Column("onlyFirst", count: \.positives.onlyBefore),
            Column("onlySecond", count: \.positives.onlyAfter),
            Column("neither", count: \.positives.neither),
            Column("recallDifference", number: \.difference.difference),
            Column("recallDifferenceLower", number: { $0.difference.interval()?.lower }),
            Column("recallDifferenceUpper", number: { $0.difference.interval()?.upper }),
            Column("probabilityHolm", number: \.probability),
        ]).text(model.pairs)
    }

    /// One row for each positive that only one contestant found.
    static func lone(_ model: ArenaModel) -> String {
        typealias Column = CSVTable<ArenaModel.Lone>.Column
        return CSVTable(columns: [
            Column("trial", text: \.trialID), Column("conditions", text: \.title),
            Column("contestant", text: { model.standings[$0.standing].name }),
        ]).text(model.lone)
    }

    /// One row for each contestant and condition.
    static func cells(_ model: ArenaModel) -> String {
        typealias Row = (standing: ArenaStanding, cell: CellScore, recall: Proportion)
        typealias Column = CSVTable<Row>.Column
        let rows = model.standings.flatMap { standing -> [Row] in
            let trials = Dictionary(grouping: standing.model.trials) { CellScore.Key($0.record) }
            return standing.model.cells.map { (standing, $0, standing.recall(of: trials[$0.key] ?? [])) }
        }
        return CSVTable(columns: [
            Column("contestant", text: { $0.standing.name }),
            Column("conditions", text: { $0.cell.group.title }),
            Column("degradation", text: { $0.cell.key.degradation }),
            Column("severity", text: { $0.cell.key.severity }),
            Column("lengthSeconds", number: { $0.cell.key.lengthSeconds }),
            Column("positives", count: { $0.recall.trials }),
            Column("recallAtOwnThreshold", number: { $0.cell.score.recall.rate }),
            Column("recallAt1PercentFalseAccepts", number: { $0.recall.rate }),
            Column("negatives", count: { $0.cell.score.falseAcceptRate.trials }),
            Column("falseAcceptRateAtOwnThreshold", number: { $0.cell.score.falseAcceptRate.rate }),
            Column("errors", count: { $0.cell.score.errors }),
        ]).text(rows)
    }
}
