/// A figure trial by trial, which gates compare.
package struct TrialMeasure: Sendable {
    /// Its name in the rules of a gate, and in a baseline that stores it.
    package let name: String
    /// What findings call it.
    package let words: String
    package let unit: ScoreFigure.Unit
    package let isBetterHigh: Bool
    /// Whether its threshold is found in the run itself, so that draws of recordings compare it.
    package let isFitted: Bool
    private let value: Value

    package enum Value: Sendable {
        /// Whether a trial succeeds, by its outcome; nil if it does not count.
        case share(@Sendable (TrialResult) -> Bool?)
        /// The same, by what the outcome does not tell. A baseline stores it.
        case mark(@Sendable (JudgedTrial) -> Bool?)
        /// An error, of which the magnitude counts and a baseline stores it.
        ///
        /// Two magnitudes below the resolution are equal.
        case magnitude(resolution: Double, @Sendable (JudgedTrial) -> Double?)
        /// The latency over that of ``CalibrationLoop`` at the same time, of some trials.
        case latencyRatio(of: @Sendable (TrialResult) -> Bool)

        static func ofPositives(_ holds: @escaping @Sendable (TrialResult) -> Bool) -> Self {
            .share { $0.isPositive ? holds($0) : nil }
        }
    }

    init(
        name: String, words: String, unit: ScoreFigure.Unit, isBetterHigh: Bool, isFitted: Bool = false,
        value: Value
    ) {
        self.name = name
        self.words = words
        self.unit = unit
        self.isBetterHigh = isBetterHigh
        self.isFitted = isFitted
        self.value = value
    }

    /// The measures of all figures, then those of trials only.
    package static let all =
        ScoreFigure.all.compactMap(\.measure) + [
            TrialMeasure(
                name: "errorRate", words: "failed trials", unit: .fraction, isBetterHigh: false,
                value: .share(\.isError)),
            // Of all timed queries; its median mixes found and unknown ones, so it has no limit.
            ratio(latencyRatio, "latency ratio") { _ in true },
            ratio("foundLatencyRatio", "latency ratio of found queries") { $0.outcome == .correct },
            ratio("unknownLatencyRatio", "latency ratio of unknown queries") { !$0.isPositive },
        ]

    package static let latencyRatio = "latencyRatio"

    private static func ratio(
        _ name: String, _ words: String, of trials: @escaping @Sendable (TrialResult) -> Bool
    ) -> TrialMeasure {
        TrialMeasure(
            name: name, words: words, unit: .ratio, isBetterHigh: false, value: .latencyRatio(of: trials))
    }
}

extension TrialMeasure {
    /// The name of its magnitude; nil for a rate.
    package var magnitude: String? {
        switch value {
        case .share, .mark: nil
        case .magnitude: name
        case .latencyRatio: Self.latencyRatio
        }
    }

    /// The least magnitude that differs from 0.
    package var resolution: Double {
        if case .magnitude(let resolution, _) = value { resolution } else { 1e-3 }
    }

    /// Whether a baseline must store it for each trial, beside the outcome.
    package var isMark: Bool { if case .mark = value { true } else { false } }

    package func counts(_ result: TrialResult) -> Bool {
        guard result.outcome != nil else { return false }
        return switch value {
        case .share(let holds): holds(result) != nil
        case .mark: result.numbers[name] != nil
        case .magnitude: true
        case .latencyRatio(let isCounted): isCounted(result)
        }
    }

    package func holds(_ result: TrialResult) -> Bool {
        switch value {
        case .share(let holds): holds(result) ?? false
        case .mark: result.numbers[name] == 1
        case .magnitude, .latencyRatio: false
        }
    }

    /// What a baseline stores of a trial.
    func number(of trial: JudgedTrial) -> Double? {
        switch value {
        case .share, .latencyRatio: nil
        case .mark(let holds): holds(trial).map { $0 ? 1 : 0 }
        case .magnitude(_, let error): error(trial).map(abs)
        }
    }
}
