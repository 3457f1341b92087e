import Evaluation
import Metrics

/// The figures of an arena as people read them, for Markdown and for the page.
enum ArenaText {
    /// A column: its heading and its text.
    typealias Column = (head: String, text: @Sendable (ArenaStanding) -> String)

    /// How much was found, and at what price in false accepts.
    static let accuracy: [Column] = [
        ("recall at 1 % FA", { NumberText.rate($0.recall) }),
        ("95 %", { NumberText.interval($0.recall) }),
        ("recall at 0 FA", { NumberText.rate($0.model.overall.recallAtZeroFalseAccepts) }),
        ("recall, own threshold", { NumberText.rate($0.model.overall.recall) }),
        ("95 %", { NumberText.interval($0.model.overall.recall) }),
        ("false accepts", { NumberText.rate($0.model.overall.falseAcceptRate) }),
        ("precision", { NumberText.rate($0.model.overall.precision) }),
        ("right one first", { NumberText.rate($0.model.overall.rightTopAnswers) }),
        ("errors", { NumberText.count($0.model.overall.errors) }),
    ]

    /// How exact the answers are.
    static let exactness: [Column] = [
        ("offset error", { pair($0.model.overall.offsetError, NumberText.seconds) }),
        ("strict", { pair($0.model.overall.strictOffsetError, NumberText.seconds) }),
        ("within 10 ms", { NumberText.rate($0.placed(within: 0.01)) }),
        ("within 100 ms", { NumberText.rate($0.placed(within: 0.1)) }),
        ("frequency skew error", { pair($0.model.overall.frequencySkewError, NumberText.skew) }),
        ("time skew error", { pair($0.model.overall.timeSkewError, NumberText.skew) }),
    ]

    /// What it costs.
    static let cost: [Column] = [
        ("CPU a query, median", { time($0.processor?.median) }),
        ("mean", { time($0.meanProcessorMilliseconds) }),
        ("p95", { time($0.processor?.percentile95) }),
        ("latency, median", { time($0.model.overall.latency?.median) }),
        ("enrolment", { $0.enrolmentRate.map(NumberText.timesRealTime) ?? NumberText.missing }),
        ("index", { bytes($0.model.facts.indexBytes) }),
        ("index an hour", { $0.model.indexBytesPerHour.map(NumberText.bytes) ?? NumberText.missing }),
        (
            "peak memory",
            {
                bytes($0.model.facts.cost?.peakMemoryBytes)
                    + ($0.model.facts.cost?.peakIncludesJudge == true ? ", judge included" : "")
            }
        ),
        ("restarts", { NumberText.count($0.model.facts.cost?.restarts ?? 0) }),
    ]

    /// The settings in one line, or where there are many the options that choose them.
    static func settings(_ standing: ArenaStanding) -> String {
        let facts = standing.model.facts
        if facts.matcher.settings.count > mostSettings, let arguments = facts.evaluateArguments,
            arguments.hasPrefix(facts.planArguments)
        {
            return String(arguments.dropFirst(facts.planArguments.count).trimmingPrefix(" "))
        }
        return facts.matcher.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
            .joined(separator: ", ")
    }

    private static let mostSettings = 20

    /// Two contestants in a line.
    static func pair(_ pair: ArenaModel.Pair) -> [String] {
        let counts = [pair.positives.onlyBefore, pair.positives.onlyAfter].map(NumberText.count)
        return counts + [
            pair.difference.difference.map(NumberText.points) ?? NumberText.missing,
            pair.difference.interval().map(NumberText.points) ?? NumberText.missing,
            NumberText.probability(pair.probability),
        ]
    }

    /// The headings of ``pair(_:)``.
    static let pairHeads = ["only the first", "only the second", "difference, points", "95 %", "p (Holm)"]

    private static func pair(_ summary: ErrorSummary?, _ text: (Double) -> String) -> String {
        guard let summary else { return NumberText.missing }
        return "\(text(summary.medianAbsolute)) / \(text(summary.percentile95Absolute))"
    }

    private static func time(_ milliseconds: Double?) -> String {
        milliseconds.map(NumberText.milliseconds) ?? NumberText.missing
    }

    private static func bytes(_ value: Int?) -> String {
        value.map { NumberText.bytes(Double($0)) } ?? NumberText.missing
    }
}
