import Evaluation
import Metrics

/// The columns of an arena: those of its CSV files, and of its tables on the page and in `leaderboard.md`.
enum ArenaTables {
    typealias Column = Table<ArenaStanding>.Column

    /// The tables of the leaderboard with their captions; failures only if there are any.
    static func leaderboard(_ model: ArenaModel) -> [(caption: String, columns: [Column])] {
        let hasFailures = model.standings.contains { $0.model.overall.errors > 0 }
        let tables = [("Accuracy", accuracy)] + (hasFailures ? [("Failures", failures)] : [])
        return (tables + [("Precision", precision), ("Cost", cost + restarts)]).map { ($0, [name] + $1) }
    }

    /// Every figure of a contestant.
    static var everything: [Column] {
        [name] + accuracy + precision + failures + restarts + cost + [
            Column("startedAt", text: \.model.facts.startedAt)
        ]
    }

    private static var name: Column { Column("name", head: "contestant", text: \.name) }

    static func rank(_ standing: ArenaStanding) -> String {
        NumberText.optional(standing.rank) { "\($0.rank) (\($0.lower)–\($0.upper))" }
    }

    private static var accuracy: [Column] {
        [
            Column("rank", for: rank), Column("rank", count: \.rank?.rank),
            Column("rankLower", count: \.rank?.lower), Column("rankUpper", count: \.rank?.upper),
            Column("matcher", text: \.model.facts.matcher.name),
            Column("version", text: \.model.facts.matcher.version),
            Column("settings", text: { ArenaText.settings($0) }),
            Column("positives", count: \.model.overall.outcomes.positives),
            Column("negatives", count: \.model.overall.outcomes.negatives),
        ] + Column.share("recallAt1PercentFalseAccepts", heads: ["recall at 1 % FA", "95 %"], \.recall) + [
            Column(
                "thresholdAt1PercentFalseAccepts",
                number: { $0.isCensored ? nil : $0.threshold(at: ArenaStanding.falseAcceptRate) }),
            Column("isCensored", flag: \.isCensored),
            Column("recall at 0 FA", for: \.recallAtZeroFalseAccepts.text),
            Column("recallAt0FalseAccepts", number: \.model.overall.recallAtZeroFalseAccepts.rate),
            Column(
                "recallAt0FalseAcceptsLower", number: \.model.overall.recallAtZeroFalseAcceptsInterval?.lower),
            Column(
                "recallAt0FalseAcceptsUpper", number: \.model.overall.recallAtZeroFalseAcceptsInterval?.upper),
        ] + share("recallAtOwnThreshold", ["recall, own threshold", "95 %"], \.recall)
            + share("falseAcceptRateAtOwnThreshold", ["false accepts"], \.falseAcceptRate)
            + share("precisionAtOwnThreshold", ["precision"], \.precision)
            + share("topPrecisionAtOwnThreshold", [], \.topPrecision)
            + share("setRecallAtOwnThreshold", [], \.setRecall)
            + share("rightOneFirst", ["right one first"], \.rightTopAnswers)
    }

    private static func share(_ name: String, _ heads: [String], _ share: @escaping (Scorecard) -> Proportion)
        -> [Column]
    { Column.share(name, heads: heads) { share($0.model.overall) } }

    private static var precision: [Column] {
        func errors(_ name: String, _ summary: @escaping (Scorecard) -> ErrorSummary?) -> [Column] {
            [
                Column("\(name)Median", number: { summary($0.model.overall)?.medianAbsolute }),
                Column("\(name)Percentile95", number: { summary($0.model.overall)?.percentile95Absolute }),
                Column("\(name)Count", count: { summary($0.model.overall)?.count }),
            ]
        }
        func pair(
            _ head: String, _ summary: @escaping (Scorecard) -> ErrorSummary?,
            _ text: @escaping (Double) -> String
        ) -> Column {
            Column(head) { standing in
                NumberText.optional(summary(standing.model.overall)) {
                    "\(text($0.medianAbsolute)) / \(text($0.percentile95Absolute))"
                }
            }
        }
        func placed(_ name: String, within seconds: Double, isStrict: Bool, _ heads: [String]) -> [Column] {
            Column.share(name, heads: heads) { $0.placed(within: seconds, isStrict: isStrict) }
        }
        return errors("frequencySkewError", \.frequencySkewError) + errors("timeSkewError", \.timeSkewError)
            + errors("offsetErrorSeconds", \.offsetError)
            + errors("strictOffsetErrorSeconds", \.strictOffsetError) + [
                pair("offset error", \.offsetError, NumberText.seconds),
                pair("strict", \.strictOffsetError, NumberText.seconds),
            ] + placed("placedWithin10Milliseconds", within: 0.01, isStrict: false, ["within 10 ms"])
            + placed("placedWithin100Milliseconds", within: 0.1, isStrict: false, ["within 100 ms"])
            + placed("strictlyPlacedWithin10Milliseconds", within: 0.01, isStrict: true, [])
            + placed("strictlyPlacedWithin100Milliseconds", within: 0.1, isStrict: true, []) + [
                pair("frequency skew error", \.frequencySkewError, NumberText.skew),
                pair("time skew error", \.timeSkewError, NumberText.skew),
            ]
    }

    private static var failures: [Column] {
        [
            Column("errors", head: "errors", count: \.model.overall.errors),
            Column("errorsOnPositives", head: "on positives", count: \.positiveErrors),
        ]
            + Column.share(
                "recallAt1PercentFalseAcceptsOfAnswered", heads: ["recall at 1 % FA of answered"],
                \.answeredRecall)
    }

    private static var restarts: [Column] {
        [
            Column("restarts", count: \.model.facts.cost?.restarts),
            Column("restarts") { ($0.model.facts.cost?.restarts ?? 0).text },
        ]
    }

    private static var cost: [Column] {
        func time(_ name: String, _ head: String?, _ value: @escaping (ArenaStanding) -> Double?) -> Column {
            Column(name, head: head, as: NumberText.milliseconds, number: value)
        }
        return [
            time("processorMillisecondsFoundMedian", "CPU, found, median", \.processor.found?.median),
            time("processorMillisecondsFoundMean", "mean", \.processor.found?.mean),
            time("processorMillisecondsUnknownMedian", "CPU, unknown, median", \.processor.unknown?.median),
            time("processorMillisecondsUnknownMean", "mean", \.processor.unknown?.mean),
            time("latencyMillisecondsFoundMedian", "latency, found", \.model.overall.latency.found?.median),
            time("latencyMillisecondsFoundPercentile95", nil, \.model.overall.latency.found?.percentile95),
            time(
                "latencyMillisecondsUnknownMedian", "latency, unknown",
                \.model.overall.latency.unknown?.median),
            time(
                "latencyMillisecondsUnknownPercentile95", nil, \.model.overall.latency.unknown?.percentile95),
            Column(
                "enrolledAudioSecondsPerProcessorSecond", head: "enrolment", as: NumberText.timesRealTime,
                number: \.enrolmentRate),
            Column("indexBytes", head: "index", bytes: \.model.facts.indexBytes),
            Column("index an hour") { NumberText.bytes($0.model.indexBytesPerHour) },
            Column("peakMemoryBytes", count: \.model.facts.cost?.peakMemoryBytes),
            Column("peakMemoryIncludesJudge", flag: \.model.facts.cost?.peakIncludesJudge),
            Column("peak memory") { standing in
                let cost = standing.model.facts.cost
                return NumberText.bytes(cost?.peakMemoryBytes.map(Double.init))
                    + (cost?.peakIncludesJudge == true ? " with judge" : "")
            },
        ]
    }

    /// - Parameter isOneName: Whether people read both names in one column.
    static func pairs(_ model: ArenaModel, isOneName: Bool = false) -> [Table<ArenaModel.Pair>.Column] {
        func name(_ number: Int) -> String { model.standings[number].name }
        return [
            .init("first", head: isOneName ? nil : "first", text: { name($0.first) }),
            .init("second", head: isOneName ? nil : "second", text: { name($0.second) }),
        ] + (isOneName ? [.init("first, second") { "\(name($0.first)), \(name($0.second))" }] : []) + [
            .init("positives", count: \.positives.count), .init("both", count: \.positives.both),
            .init("onlyFirst", head: "only the first", count: \.positives.onlyBefore),
            .init("onlySecond", head: "only the second", count: \.positives.onlyAfter),
            .init("neither", count: \.positives.neither),
            .init(
                "recallDifference", head: "difference, points", as: NumberText.points,
                number: \.difference.difference), .init("95 %") { NumberText.points($0.fitted) },
            .init("recallDifferenceLower", number: \.fitted?.lower),
            .init("recallDifferenceUpper", number: \.fitted?.upper),
            .init("probabilityHolm", head: "p (Holm)", as: NumberText.probability, number: \.probability),
            .init("errorsFirst", head: "errors, first", count: { $0.errors[0] }),
            .init("errorsSecond", head: "errors, second", count: { $0.errors[1] }),
        ]
    }

    /// - Parameter all: The heading of the positives that every contestant finds.
    static func finds(_ model: ArenaModel, all: String) -> [Table<ArenaModel.Finds>.Column] {
        [
            .init("conditions", for: \.title), .init("", head: "positives", count: \.positives),
            .init("", head: all, count: \.all), .init("", head: "by none", count: \.none),
        ]
            + model.standings.enumerated().map { number, standing in
                .init("", head: "only \(standing.name)", count: { $0.alone[number] })
            }
    }

    /// One row for each positive that only one contestant found.
    static func lone(_ model: ArenaModel) -> [Table<ArenaModel.Lone>.Column] {
        [
            .init("trial", text: \.trialID), .init("conditions", text: \.title),
            .init("contestant", text: { model.standings[$0.standing].name }),
            .init("failed", text: { $0.failed.map { model.standings[$0].name }.joined(separator: " ") }),
        ]
    }

    typealias Cell = (standing: ArenaStanding, cell: CellScore, recall: Proportion)

    /// One row for each contestant and condition.
    static func cells(_ model: ArenaModel) -> [Cell] {
        model.standings.flatMap { standing -> [Cell] in
            let trials = Dictionary(grouping: standing.model.trials) { CellScore.Key($0.record) }
            return standing.model.cells.map { (standing, $0, standing.recall(of: trials[$0.key] ?? [])) }
        }
    }

    static var cell: [Table<Cell>.Column] {
        [
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
        ]
    }
}
