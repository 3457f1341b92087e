import Metrics

/// A figure that is followed over many runs.
struct HistoryFigure: Sendable {
    /// What it is called.
    let name: String
    /// The chart it is drawn in.
    let chart: Chart
    /// Its value in a run in the chart's unit; nil where the run has none.
    let value: @Sendable (HistoryRun.Summary) -> LineChart.Point?

    /// Charts, each of figures of one unit.
    enum Chart: String, CaseIterable, Sendable {
        case recall = "Recall"
        case mistakes = "Mistakes"
        case skew = "Skew error"
        case offset = "Offset error"
        case latency = "Latency"
        case size = "Index size"

        var unit: String {
            switch self {
            case .recall, .mistakes: "%"
            case .skew: "%, median"
            case .offset: "ms, median"
            case .latency: "ms, median"
            case .size: "MB an hour"
            }
        }
    }

    static let all: [HistoryFigure] = [
        rate("recall", .recall) { $0.overall.recall },
        rate("recall at 0 false accepts", .recall) { $0.overall.recallAtZeroFalseAccepts },
        rate("false accepts", .mistakes) { $0.overall.falseAcceptRate },
        rate("wrong references", .mistakes) { $0.overall.wrongReferenceRate },
        number("frequency skew", .skew, times: 100) {
            ($0.overall.freeFrequencySkewError ?? $0.overall.frequencySkewError)?.medianAbsolute
        },
        number("time skew", .skew, times: 100) {
            ($0.overall.freeTimeSkewError ?? $0.overall.timeSkewError)?.medianAbsolute
        },
        number("offset", .offset, times: 1000) { $0.overall.offsetErrorSeconds?.medianAbsolute },
        number("latency", .latency) { $0.cost.latencyMilliseconds?.median },
        number("index", .size, times: 1e-6) { $0.cost.indexBytesPerHour },
    ]

    private static func rate(
        _ name: String, _ chart: Chart,
        _ rate: @escaping @Sendable (HistoryRun.Summary) -> HistoryRun.Summary.Rate
    ) -> HistoryFigure {
        HistoryFigure(name: name, chart: chart) { summary in
            let figure = rate(summary)
            return figure.rate.map {
                .init(
                    x: 0, y: $0 * 100, lower: figure.lower.map { $0 * 100 },
                    upper: figure.upper.map { $0 * 100 })
            }
        }
    }

    private static func number(
        _ name: String, _ chart: Chart, times factor: Double = 1,
        _ number: @escaping @Sendable (HistoryRun.Summary) -> Double?
    ) -> HistoryFigure {
        HistoryFigure(name: name, chart: chart) { summary in
            number(summary).map { .init(x: 0, y: $0 * factor) }
        }
    }
}
