import Corpora
import Metrics
import SystemIO

package struct GateRule: Sendable {
    package enum Scope: String, Sendable, CaseIterable {
        case run
        case group
        case cell
        case recording
    }

    package enum Condition: Sendable, Hashable {
        /// The least rate or median magnitude. Judged by its interval, or by its value if `hard`.
        case atLeast(Double, isHard: Bool)
        /// The greatest rate or median magnitude.
        case atMost(Double, isHard: Bool)
        /// A net loss against the baseline that is not significantly above the margin.
        ///
        /// `finds` is the loss that the trials must be able to exclude or to find; nil for three margins.
        case noLossBeyond(LossMargin, finds: Double?)
        /// A growth of a magnitude over the baseline that is not significantly above this factor.
        case mayGrowBy(Double)
        case answers(FixedAnswers)
    }

    /// What a rule demands of the answers to fixed queries.
    package enum FixedAnswers: String, CaseIterable, Sendable {
        /// Those of the baseline, unless the matcher has another version or other settings.
        case sameUnlessVersion
        /// Those of the baseline, which is of the same version and settings.
        case recorded
    }

    /// The net loss of a rate that is allowed.
    package enum LossMargin: Sendable, Hashable {
        /// A share of the trials.
        case share(Double)
        /// A multiple of the one-sided 95 % upper bound of the rate in the baseline.
        case bounds(Double)
    }

    package var name: String
    /// Nil for the identity of the answers.
    package var measure: TrialMeasure?
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
        case .noLossBeyond, .mayGrowBy, .answers: true
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

    /// The share of trials that may lose their value, for a measure whose value a matcher may leave out.
    package static let valueMargin = 0.01
    /// How many margins a loss has that a rule must find or exclude, if it does not state `finds`.
    static let usualFinds = 3.0

    /// The loss that a rule must find: the stated one, else ``usualFinds`` margins.
    static func finds(_ stated: Double?, margin: Double) -> Double { stated ?? min(1, usualFinds * margin) }

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
        if rule["answers"] != nil {
            condition = .answers(try rule.choice("answers", named: \.rawValue, of: FixedAnswers.allCases))
            scope = .run
            name = try rule.string("name", default: "answers")
            try rule.rejectUnknownKeys()
            return
        }
        let measure = try rule.choice("measure", named: \.name, of: TrialMeasure.all)
        self.measure = measure
        scope = try rule["each"] == nil ? .run : rule.choice("each", named: \.rawValue, of: Scope.allCases)
        degradation = rule["degradation"] == nil ? nil : try rule.string("degradation")
        severity = rule["severity"] == nil ? nil : try rule.string("severity")
        lengthSeconds = rule["lengthSeconds"] == nil ? nil : try rule.double("lengthSeconds")
        let isHard = try rule.bool("hard", default: false)
        let finds = rule["finds"] == nil ? nil : try rule.double("finds")
        let conditions: [(key: String, make: (Double) -> Condition)] = [
            ("atLeast", { .atLeast($0, isHard: isHard) }), ("atMost", { .atMost($0, isHard: isHard) }),
            ("noLossBeyond", { .noLossBeyond(.share($0), finds: finds) }),
            ("noLossBeyondBounds", { .noLossBeyond(.bounds($0), finds: finds) }),
            ("mayGrowBy", { .mayGrowBy($0) }),
        ]
        let given = conditions.filter { rule[$0.key] != nil }
        guard let only = given.first, given.count == 1 else {
            throw rule.error("expected one of \(conditions.map(\.key).joined(separator: ", ")) in a rule")
        }
        let number = try rule.double(only.key)
        condition = only.make(number)
        func check(_ key: String, _ value: Double, in range: ClosedRange<Double>, _ meaning: String) throws {
            guard !range.contains(value) else { return }
            throw rule.error(
                "`\(key)`: expected \(meaning) from \(formatNumber(range.lowerBound)) to "
                    + "\(formatNumber(range.upperBound)), found \(formatNumber(value))")
        }
        switch condition {
        case .noLossBeyond where measure.magnitude != nil:
            throw rule.error("`\(only.key)` is for rates; for \(measure.name) use mayGrowBy")
        case .noLossBeyond(.share, _):
            guard number > 0, number < 1 else {
                throw rule.error(
                    "`noLossBeyond`: expected a share between 0 and 1, found \(formatNumber(number))")
            }
            if let finds, !(finds > number && finds <= 1) {
                throw rule.error("`finds`: expected a share above noLossBeyond and at most 1, found \(finds)")
            }
        case .noLossBeyond(.bounds, _):
            if measure.isBetterHigh {
                throw rule.error(
                    "`noLossBeyondBounds` is for rates of mistakes; for \(measure.name) use noLossBeyond")
            }
            try check(only.key, number, in: 0.1...100, "a number of upper bounds")
            if let finds { try check("finds", finds, in: 0...1, "a share") }
        case .mayGrowBy where measure.magnitude == nil:
            throw rule.error("`mayGrowBy` is for magnitudes; for \(measure.name) use noLossBeyond")
        case .atLeast, .atMost:
            if measure.isMixed {
                let apart = TrialMeasure.all.filter { $0.cost == measure.cost && !$0.isMixed }.map(\.name)
                throw rule.error("a limit for \(measure.name): use \(apart.joined(separator: " or "))")
            }
            if measure.isCarried {
                throw rule.error(
                    "a limit for \(measure.name): only a baseline has its threshold; use noLossBeyond")
            }
            try check(only.key, number, in: measure.range, measure.rangeWords)
        case .mayGrowBy: try check(only.key, number, in: 1...1000, "a factor")
        case .answers: break
        }
        if let lengthSeconds { try check("lengthSeconds", lengthSeconds, in: 0...86_400, "seconds") }
        if finds != nil, case .noLossBeyond = condition {
        } else if finds != nil {
            throw rule.error("`finds` goes with noLossBeyond and noLossBeyondBounds only")
        }
        if isHard, only.key != "atLeast", only.key != "atMost" {
            throw rule.error("`hard` goes with atLeast and atMost only")
        }
        let places = [degradation, severity, lengthSeconds.map { "\(formatNumber($0)) s" }].compactMap { $0 }
        let sets = scope == .run ? [] : ["each \(scope.rawValue)"]
        name = try rule.string(
            "name",
            default: (["\(measure.words) \(measure.demand(condition))"] + places + sets).joined(
                separator: ", "))
        try rule.rejectUnknownKeys()
    }
}

extension GateRule.LossMargin {
    /// The net loss of the trials of a set that is allowed, as a share of them.
    ///
    /// - Parameter before: Whether each trial of the set is a mistake in the baseline.
    package func share(ofMistakes before: [Bool]) -> Double {
        switch self {
        case .share(let share): share
        case .bounds(let bounds):
            min(1, bounds * (Proportion(before.count { $0 }, of: before.count).upperBound() ?? 1))
        }
    }
}

extension YAMLMapping {
    /// The one of `choices` that a key names.
    fileprivate func choice<Choice>(
        _ key: String, named name: (Choice) -> String, of choices: [Choice]
    ) throws -> Choice {
        let word = try string(key)
        guard let choice = choices.first(where: { name($0) == word }) else {
            let words = choices.map(name)
            throw error(
                "`\(key)`: expected one of \(words.joined(separator: ", ")); found \"\(word)\""
                    + words.suggestion(for: word))
        }
        return choice
    }
}

extension TrialMeasure {
    /// A value with its unit.
    package func text(_ value: Double) -> String {
        switch unit {
        case .fraction: "\(Gate.text(value * 100)) %"
        case .seconds: "\(Gate.text(value * 1000)) ms"
        case .milliseconds, .count, .ratio: Gate.text(value)
        }
    }

    /// The interval of a rate.
    package func text(_ interval: Interval) -> String {
        "\(Gate.text(interval.lower * 100))–\(text(interval.upper))"
    }

    /// What a rule demands of it.
    fileprivate func demand(_ condition: GateRule.Condition) -> String {
        switch condition {
        case .atLeast(let limit, _): "at least \(text(limit))"
        case .atMost(let limit, _): "at most \(text(limit))"
        case .noLossBeyond(.share(let loss), _): "worse by at most \(Gate.pointsText(loss))"
        case .noLossBeyond(.bounds(1), _): "worse by at most the baseline's bound"
        case .noLossBeyond(.bounds(let bounds), _):
            "worse by at most \(Gate.text(bounds)) × the baseline's bound"
        case .mayGrowBy(let factor): "at most × \(Gate.text(factor))"
        case .answers(.sameUnlessVersion): "as before"
        case .answers(.recorded): "as recorded"
        }
    }
}
