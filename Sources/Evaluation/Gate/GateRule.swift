import Corpora
import Metrics
import SystemIO

package struct GateRule: Sendable {
    package enum Scope: String, Sendable, CaseIterable {
        case run
        case group
        case cell
    }

    package enum Condition: Sendable, Hashable {
        /// The least rate or median magnitude. Judged by its interval, or by its value if `hard`.
        case atLeast(Double, isHard: Bool)
        /// The greatest rate or median magnitude.
        case atMost(Double, isHard: Bool)
        /// No significant loss against the baseline, and enough trials to exclude a larger one than this.
        case noLossBeyond(Double)
        /// A magnitude whose growth over the baseline is significantly below this factor.
        case mayGrowBy(Double)
        /// Equal answers to fixed queries as in the baseline, unless the engine's version differs.
        case sameAnswersUnlessVersion
    }

    package var name: String
    /// Nil for the identity of the answers.
    package var measure: GateMeasure?
    package var scope: Scope
    /// Only cells of this degradation, where it is given.
    package var degradation: String?
    /// Only cells of this severity, where it is given.
    package var severity: String?
    /// Only cells of this query length in seconds, where it is given.
    package var lengthSeconds: Double?
    package var condition: Condition
    package var line: Int

    package var needsBaseline: Bool {
        switch condition {
        case .atLeast, .atMost: false
        case .noLossBeyond, .mayGrowBy, .sameAnswersUnlessVersion: true
        }
    }

    package func covers(_ cell: ScoredRun.Cell) -> Bool {
        (degradation ?? cell.key.degradation) == cell.key.degradation
            && (severity ?? cell.key.severity) == cell.key.severity
            && (lengthSeconds ?? cell.key.lengthSeconds) == cell.key.lengthSeconds
    }
}

/// The rules of a gate, as declared in a YAML file; the article <doc:Gates> describes its keys.
public struct GateRules: Sendable {
    package let path: String
    /// The tolerated probability of a false alarm, for each rule over all its sets of trials.
    public let significance: Double
    package let rules: [GateRule]

    /// Reads rules from a YAML file.
    ///
    /// - Throws: ``ConfigurationError`` with the line of the mistake and what was expected there.
    public init(path: String) throws { try self.init(YAMLReader(path: path), path: path) }

    package init(text: String, name: String) throws {
        try self.init(YAMLReader(text: text, name: name), path: name)
    }

    private init(_ reader: YAMLReader, path: String) throws {
        let file = try reader.mapping()
        self.path = path
        significance = try file.double("significance", default: 0.05)
        rules = try file.list("rules").map { try GateRule($0.mapping()) }
        try file.rejectUnknownKeys()
        guard significance > 0, significance < 1 else {
            throw file.error("`significance`: expected a number between 0 and 1, found \(significance)")
        }
        if rules.isEmpty { throw file.error("there is no rule. Add one: an empty gate cannot pass") }
    }
}

extension GateRule {
    fileprivate init(_ rule: YAMLMapping) throws {
        line = rule.line
        let answers = try rule.string("answers", default: "")
        if !answers.isEmpty {
            guard answers == "sameUnlessVersion" else {
                throw rule.error("`answers`: expected sameUnlessVersion, found \"\(answers)\"")
            }
            condition = .sameAnswersUnlessVersion
            scope = .run
            name = try rule.string("name", default: "answers")
            try rule.rejectUnknownKeys()
            return
        }
        let measure = try rule.choice("measure", of: GateMeasure.self, default: nil)
        self.measure = measure
        scope = try rule.choice("each", of: Scope.self, default: .run)
        degradation = rule["degradation"] == nil ? nil : try rule.string("degradation")
        severity = rule["severity"] == nil ? nil : try rule.string("severity")
        lengthSeconds = rule["lengthSeconds"] == nil ? nil : try rule.double("lengthSeconds")
        let isHard = try rule.bool("hard", default: false)
        let conditions: [(key: String, make: (Double) -> Condition)] = [
            ("atLeast", { .atLeast($0, isHard: isHard) }), ("atMost", { .atMost($0, isHard: isHard) }),
            ("noLossBeyond", { .noLossBeyond($0) }), ("mayGrowBy", { .mayGrowBy($0) }),
        ]
        let given = conditions.filter { rule[$0.key] != nil }
        guard let only = given.first, given.count == 1 else {
            throw rule.error("expected one of \(conditions.map(\.key).joined(separator: ", ")) in a rule")
        }
        let number = try rule.double(only.key)
        condition = only.make(number)
        switch condition {
        case .noLossBeyond where measure.magnitude != nil:
            throw rule.error("`noLossBeyond` is for rates; for \(measure.rawValue) use mayGrowBy")
        case .noLossBeyond where !(number > 0 && number < 1):
            throw rule.error("`noLossBeyond`: expected a share between 0 and 1, found \(number)")
        case .mayGrowBy where measure.magnitude == nil:
            throw rule.error("`mayGrowBy` is for magnitudes; for \(measure.rawValue) use noLossBeyond")
        case .atLeast where measure == .latencyRatio, .atMost where measure == .latencyRatio:
            throw rule.error("a limit for latencyRatio: use foundLatencyRatio or unknownLatencyRatio")
        case .mayGrowBy where number < 1:
            throw rule.error("`mayGrowBy`: expected a factor of at least 1, found \(number)")
        default: break
        }
        if isHard, only.key != "atLeast", only.key != "atMost" {
            throw rule.error("`hard` goes with atLeast and atMost only")
        }
        let places = [degradation, severity, lengthSeconds.map { "\(formatNumber($0)) s" }].compactMap { $0 }
        name = try rule.string(
            "name",
            default: (["\(measure.words) \(measure.words(of: condition))"] + places).joined(separator: ", "))
        try rule.rejectUnknownKeys()
    }
}

extension YAMLMapping {
    /// A raw value of an enumeration; required without a default.
    fileprivate func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, of: Choice.Type, default fallback: Choice?
    ) throws -> Choice where Choice.RawValue == String {
        if self[key] == nil, let fallback { return fallback }
        let word = try string(key)
        guard let choice = Choice(rawValue: word) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("`\(key)`: expected one of \(words); found \"\(word)\"")
        }
        return choice
    }
}

package enum GateMeasure: String, Sendable, CaseIterable {
    /// correct / positives.
    case recall
    /// Positives claimed rightly above the run's highest wrong score / positives.
    case recallAtZeroFalseAccepts
    /// wrongReference / positives.
    case wrongReferenceRate
    /// falseAccept / (falseAccept + correctReject).
    case falseAcceptRate
    /// Trials with a wrong accepted answer at whatever rank / trials.
    case wrongAnswerRate
    /// Failed trials / trials.
    case errorRate
    case offsetErrorSeconds
    /// The magnitude of the error of the measured frequency skew, as a fraction.
    case frequencySkewError
    /// The magnitude of the error of the measured time skew, as a fraction.
    case timeSkewError
    /// Of all timed queries; only compared query by query, because its median mixes found and unknown queries.
    case latencyRatio
    /// Of positives with a right answer.
    case foundLatencyRatio
    /// Of negatives.
    case unknownLatencyRatio

    /// What findings call it.
    package var words: String {
        switch self {
        case .recall: "recall"
        case .recallAtZeroFalseAccepts: "recall at 0 false accepts"
        case .wrongReferenceRate: "wrong references"
        case .falseAcceptRate: "false accepts"
        case .wrongAnswerRate: "queries with a wrong answer"
        case .errorRate: "failed trials"
        case .offsetErrorSeconds: "offset error"
        case .frequencySkewError: "frequency-skew error"
        case .timeSkewError: "time-skew error"
        case .latencyRatio: "latency ratio"
        case .foundLatencyRatio: "latency ratio of found queries"
        case .unknownLatencyRatio: "latency ratio of unknown queries"
        }
    }

    /// A value with its unit.
    package func text(_ value: Double) -> String {
        switch magnitude {
        case nil, .frequencySkewError, .timeSkewError: "\(Gate.text(value * 100)) %"
        case .offsetErrorSeconds: "\(Gate.text(value * 1000)) ms"
        default: Gate.text(value)
        }
    }

    /// The interval of a rate.
    package func text(_ interval: Interval) -> String {
        "\(Gate.text(interval.lower * 100))–\(text(interval.upper))"
    }

    /// What a rule demands of it.
    func words(of condition: GateRule.Condition) -> String {
        switch condition {
        case .atLeast(let limit, _): "at least \(text(limit))"
        case .atMost(let limit, _): "at most \(text(limit))"
        case .noLossBeyond(let loss):
            "worse by at most \(Gate.text(loss * 100)) \(loss == 0.01 ? "point" : "points")"
        case .mayGrowBy(let factor): "at most × \(Gate.text(factor))"
        case .sameAnswersUnlessVersion: "as before"
        }
    }

    package var magnitude: TrialResult.Magnitude? {
        switch self {
        case .foundLatencyRatio, .unknownLatencyRatio: .latencyRatio
        default: TrialResult.Magnitude(rawValue: rawValue)
        }
    }

    package var isBetterHigh: Bool { self == .recall || self == .recallAtZeroFalseAccepts }

    package func counts(_ trial: ScoredRun.Trial) -> Bool {
        guard trial.result.outcome != nil else { return false }
        return switch self {
        case .recall, .recallAtZeroFalseAccepts, .wrongReferenceRate: trial.isPositive
        case .falseAcceptRate: !trial.isPositive && !trial.isRepeat && trial.result.outcome != .negativeError
        case .unknownLatencyRatio: !trial.isPositive
        case .foundLatencyRatio: trial.result.outcome == .correct
        case .wrongAnswerRate: trial.result.outcome != .negativeError
        default: true
        }
    }

    package func holds(_ result: TrialResult) -> Bool {
        switch self {
        case .recall: result.outcome == .correct
        case .recallAtZeroFalseAccepts: result.isRightAboveWrong
        case .wrongReferenceRate: result.outcome == .wrongReference
        case .falseAcceptRate: result.outcome == .falseAccept
        case .wrongAnswerRate: result.hasWrongAnswer
        case .errorRate: result.isError
        default: false
        }
    }
}
