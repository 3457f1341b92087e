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
    /// The number that a share is of, which a matcher may leave out; nil if the outcome decides.
    private let stated: String?

    package enum Value: Sendable {
        /// Whether a trial succeeds, by its outcome; nil if it does not count.
        case share(@Sendable (TrialResult) -> Bool?)
        /// The same, by what the outcome does not tell. A baseline stores it.
        case mark(@Sendable (JudgedTrial) -> Bool?)
        /// An error, of which the magnitude counts and a baseline stores it.
        ///
        /// Two magnitudes below the resolution are equal. `answered` is another quantity, for runs that lack the first.
        case magnitude(
            resolution: Double, @Sendable (JudgedTrial) -> Double?,
            answered: (@Sendable (JudgedTrial) -> Double?)? = nil)
        /// Whether a trial succeeds at a threshold that the scores of the baseline set; nil if it does not count.
        case carried(@Sendable (TrialResult, _ above: Double?) -> Bool?)
        /// A cost of some trials, which passes over the timed queries measure.
        case cost(TrialCost, of: @Sendable (TrialResult) -> Bool)

        static func ofPositives(_ holds: @escaping @Sendable (TrialResult) -> Bool) -> Self {
            .share { $0.isPositive ? holds($0) : nil }
        }
    }

    init(
        name: String, words: String, unit: ScoreFigure.Unit, isBetterHigh: Bool, isFitted: Bool = false,
        value: Value, stated: String? = nil
    ) {
        self.name = name
        self.words = words
        self.unit = unit
        self.isBetterHigh = isBetterHigh
        self.isFitted = isFitted
        self.value = value
        self.stated = stated
    }

    /// The measures of all figures, then those of trials only.
    package static let all =
        ScoreFigure.all.compactMap(\.measure) + [
            TrialMeasure(
                name: "errorRate", words: "failed trials", unit: .fraction, isBetterHigh: false,
                value: .share(\.isError)),
            TrialMeasure(
                name: "recallAtBaselineThreshold", words: "recall at a threshold of the baseline",
                unit: .fraction, isBetterHigh: true,
                value: .carried { $0.isPositive ? $0.scores(isPositive: true).isRight(above: $1) : nil }),
            TrialMeasure(
                name: "falseAcceptRateAtBaselineThreshold",
                words: "false accepts at a threshold of the baseline", unit: .fraction, isBetterHigh: false,
                value: .carried {
                    $0.isPositive || !$0.isEvidence || $0.isRepeat ? nil : $0.hasWrong(above: $1)
                }),
            TrialMeasure(
                name: confidenceError, words: "error of the confidence", unit: .fraction, isBetterHigh: false,
                value: .magnitude(resolution: 0.01) { trial in
                    trial.forecast.map { $0.probability - ($0.happened ? 1 : 0) }
                }),
            // A baseline has the error, so that nothing else is stored.
            TrialMeasure(
                name: "confidenceMistakeRate", words: "confidences on the wrong side of 50 %",
                unit: .fraction,
                isBetterHigh: false, value: .share { $0.numbers[confidenceError].map { $0 > 0.5 } },
                stated: confidenceError),
        ] + costs(.latencyRatio, "latency ratio", .ratio)
        + costs(.processorMilliseconds, "processor time", .milliseconds)

    private static let confidenceError = "confidenceError"

    /// A cost of all timed queries, of the found and of the unknown ones.
    private static func costs(
        _ cost: TrialCost, _ words: String, _ unit: ScoreFigure.Unit
    ) -> [TrialMeasure] {
        let kinds: [(name: String, words: String, of: @Sendable (TrialResult) -> Bool)] = [
            ("", "", { _ in true }), ("found", " of found queries", { $0.outcome == .correct }),
            ("unknown", " of unknown queries", { !$0.isPositive }),
        ]
        return kinds.map { kind in
            let name = cost.rawValue
            return TrialMeasure(
                name: kind.name.isEmpty ? name : kind.name + name.prefix(1).uppercased() + name.dropFirst(),
                words: words + kind.words, unit: unit, isBetterHigh: false, value: .cost(cost, of: kind.of))
        }
    }

    /// The cost that it measures; nil if none.
    package var cost: TrialCost? { if case .cost(let cost, _) = value { cost } else { nil } }

    /// Whether it mixes found and unknown queries, so that its median depends on their shares.
    package var isMixed: Bool { cost.map { name == $0.rawValue } ?? false }
}

extension TrialMeasure {
    /// The name of its magnitude; nil for a rate.
    package var magnitude: String? { magnitudes.first }

    /// The names of its magnitudes, the preferred first; none for a rate.
    ///
    /// They are different quantities. Runs are compared by the first that both have.
    package var magnitudes: [String] {
        switch value {
        case .share, .mark, .carried: []
        case .magnitude(_, _, let answered): answered == nil ? [name] : [name, Self.answered(name)]
        case .cost(let cost, _): [cost.rawValue]
        }
    }

    private static func answered(_ name: String) -> String {
        "answered" + name.prefix(1).uppercased() + name.dropFirst()
    }

    /// What findings call one of its magnitudes.
    package func words(of magnitude: String) -> String {
        magnitude == self.magnitude ? words : "\(words) as answered"
    }

    /// The least magnitude that differs from 0.
    package var resolution: Double {
        if case .magnitude(let resolution, _, _) = value { resolution } else { 1e-3 }
    }

    /// Whether a baseline must store it for each trial, beside the outcome.
    package var isMark: Bool { if case .mark = value { true } else { false } }

    /// Whether it is a rate of values that a matcher may leave out.
    package var isStated: Bool { stated != nil }

    /// Whether a claim with the outcome of that in the baseline has no value, though that one has; nil if neither has one.
    package func isMissing(in now: TrialResult, before: TrialResult) -> Bool? {
        guard now.isClaim, now.outcome == before.outcome else { return nil }
        let names = stated.map { [$0] } ?? magnitudes
        func has(_ result: TrialResult) -> Bool { names.contains { result.numbers[$0] != nil } }
        return has(now) || has(before) ? !has(now) : nil
    }

    /// Whether its threshold comes from the scores of the baseline.
    package var isCarried: Bool { if case .carried = value { true } else { false } }

    /// The values that it can have.
    package var range: ClosedRange<Double> {
        switch unit {
        case .fraction: 0...1
        case .seconds: 0...86_400
        case .milliseconds: 0...86_400_000
        case .count, .ratio: 0...1e9
        }
    }

    /// What a limit of it is.
    package var rangeWords: String {
        switch unit {
        case .fraction: "a share, such as 0.05 for 5 %,"
        case .seconds: "seconds"
        case .milliseconds: "milliseconds"
        case .count, .ratio: "a number"
        }
    }

    package func counts(_ result: TrialResult) -> Bool {
        guard result.outcome != nil else { return false }
        return switch value {
        case .share(let holds): holds(result) != nil
        case .mark: result.numbers[name] != nil
        case .carried(let holds): holds(result, nil) != nil
        case .magnitude: true
        case .cost(_, let isCounted): isCounted(result)
        }
    }

    /// - Parameter threshold: That of the baseline's scores, for a carried measure.
    package func holds(_ result: TrialResult, above threshold: Double? = nil) -> Bool {
        switch value {
        case .carried(let holds): holds(result, threshold) ?? false
        case .share(let holds): holds(result) ?? false
        case .mark: result.numbers[name] == 1
        case .magnitude, .cost: false
        }
    }

    /// What a baseline stores of a trial, by name.
    func numbers(of trial: JudgedTrial) -> [String: Double] {
        switch value {
        case .share, .carried, .cost: return [:]
        case .mark(let holds): return holds(trial).map { [name: $0 ? 1 : 0] } ?? [:]
        case .magnitude(_, let error, let answered):
            var numbers: [String: Double] = [:]
            numbers[name] = error(trial).map(abs)
            numbers[Self.answered(name)] = answered?(trial).map(abs)
            return numbers.filter(\.value.isFinite)
        }
    }
}
