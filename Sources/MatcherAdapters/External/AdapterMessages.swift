import AudioCore
import Degradations
import Evaluation
import Foundation
import Matchers
import SystemIO

/// A request to an adapter, without absent values.
struct AdapterRequest: Codable {
    var op: String
    var `protocol`: Int?
    /// The newest protocol that the judge speaks; adapters of protocol 1 ignore it.
    var newest: Int?
    var id: String?
    var query: String?
    var path: String?
    /// Of a degradation: its name, severity and seed, and the file to write.
    var name: String?
    var severity: Double?
    var seed: Int?
    var output: String?
    var settings: [String: SettingValue]?
    var places: [Place]?

    /// A place of the query in a reference; absent skews are 0.
    struct Place: Codable {
        var id: String
        var offsetSeconds: Double
        var frequencySkew: Double?
        var timeSkew: Double?
    }

    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

/// What an adapter may do besides identifying queries.
enum AdapterOperation: String, CaseIterable {
    case passages, explain
}

struct HelloAnswer: Codable {
    /// In protocol 2 an adapter finds passages too; in protocol 3 it names its optional operations.
    static let protocols = 1...3

    var `protocol`: Int
    var name: String
    var version: String
    var settings: [String: SettingValue]?
    /// The settings that `configure` changes; read in protocol 3.
    var tunables: [SettingStatement]?
    /// The names of optional operations.
    var operations: [String]?

    func has(_ operation: AdapterOperation) -> Bool {
        `protocol` == 2 ? operation == .passages : operations?.contains(operation.rawValue) ?? false
    }

    func check() throws {
        guard Self.protocols.contains(`protocol`) else {
            throw ExternalMatcherError(
                "speaks protocol \(`protocol`); Earshot \(Release.number) speaks 1 to \(Self.protocols.upperBound)"
            )
        }
        try checkOperations()
        for (key, value) in [("name", name), ("version", version)] where value.isEmpty || value.count > 200 {
            throw ExternalMatcherError("`\(key)` has \(value.count) characters; expected 1 to 200")
        }
        // They are printed without changes.
        let settings = (settings ?? [:]).sorted { $0.key < $1.key }
        let texts =
            [("name", name), ("version", version)]
            + settings.flatMap { [("settings", $0.key), ("settings", $0.value.text)] }
        for (key, text) in texts where VisibleText.quoted(text, limit: .max) != text {
            throw ExternalMatcherError(
                "`\(key)` holds '\(VisibleText.quoted(text))'; expected characters that can be shown")
        }
    }

    private func checkOperations() throws {
        guard let operations else { return }
        guard `protocol` >= 3 else {
            throw ExternalMatcherError("`operations` is there in protocol \(`protocol`); expected protocol 3")
        }
        let known = AdapterOperation.allCases.map(\.rawValue)
        if let unknown = operations.first(where: { !known.contains($0) }) {
            throw ExternalMatcherError(
                "`operations` names '\(VisibleText.quoted(unknown))'; expected \(known.joined(separator: " or "))"
                    + known.suggestion(for: unknown))
        }
    }
}

struct DegradationsAnswer: Codable {
    static let `protocol` = 1

    var `protocol`: Int
    var degradations: [OfferedDegradation]

    private static let mostDegradations = 100
    private static let mostSeverities = 1000

    func check() throws {
        guard `protocol` == Self.protocol else {
            throw ExternalMatcherError(
                "speaks protocol \(`protocol`) of degradations; Earshot \(Release.number) speaks \(Self.protocol)"
            )
        }
        guard degradations.count <= Self.mostDegradations else {
            throw ExternalMatcherError(
                "offers \(degradations.count) degradations; expected at most \(Self.mostDegradations)")
        }
        var names: Set<String> = []
        for (number, offered) in degradations.enumerated() {
            func refusal(_ key: String, _ value: String, _ expected: String) -> ExternalMatcherError {
                let shown = VisibleText.quoted(value, limit: 80)
                return ExternalMatcherError(
                    "`degradations[\(number)].\(key)` is '\(shown)'; expected \(expected)")
            }
            for (key, text, most) in [("name", offered.name, 60), ("version", offered.version, 200)]
            where text.isEmpty || text.count > most || VisibleText.quoted(text, limit: .max) != text {
                throw refusal(key, text, "1 to \(most) characters that can be shown")
            }
            guard slug(offered.name).contains(where: { $0.isLetter || $0.isNumber }) else {
                throw refusal("name", offered.name, "a name with a letter or a digit of ASCII")
            }
            guard names.insert(slug(offered.name)).inserted else {
                throw refusal("name", offered.name, "a name that no other one resembles")
            }
            let severities = offered.severities ?? []
            guard severities.count <= Self.mostSeverities else {
                throw refusal(
                    "severities", "\(severities.count) numbers", "at most \(Self.mostSeverities)")
            }
            if let severity = severities.first(where: { !(abs($0) <= 1e9) }) {
                throw refusal("severities", "\(severity)", "numbers in -1e9...1e9")
            }
        }
    }
}

struct DegradeAnswer: Codable {
    var ok: Bool
    var delaySeconds: Double?
}

struct DoneAnswer: Codable {
    var ok: Bool
    var indexBytes: Int?

    func check() throws {
        guard ok else { throw ExternalMatcherError("`ok` is false; expected true, or an `error`") }
        if let indexBytes, indexBytes < 0 { throw ExternalMatcherError("`indexBytes` is \(indexBytes)") }
    }
}

/// What every answer states of a reference.
protocol AdapterAnswer: Codable {
    var id: String { get }
    var frequencySkew: Double? { get }
    var timeSkew: Double? { get }
    var score: Double { get }
    var confidence: Double? { get }
}

/// Half to double speed.
///
/// A value beyond is a percentage or a ratio.
private let statedSkews = -0.5...1.0

extension AdapterAnswer {
    /// The judge's name of the reference.
    ///
    /// - Parameters:
    ///   - number: The place of the answer in its list.
    ///   - names: The judge's names of references by those of the adapter.
    /// - Throws: ``ExternalMatcherError`` for the first value that no answer can have.
    fileprivate func reference(_ number: Int, names: [String: String]) throws -> String {
        guard let reference = names[id] else {
            throw refusal(number, "id", "'\(id)'", "the id of an enrolled reference")
        }
        for (key, skew) in [("frequencySkew", frequencySkew), ("timeSkew", timeSkew)] {
            if let skew, !statedSkews.contains(skew) {
                throw refusal(number, key, skew, "a fraction in \(statedSkews), 0.02 for 2 %, or null")
            }
        }
        if let confidence, !(0...1).contains(confidence) {
            throw refusal(number, "confidence", confidence, "a probability in 0...1, or null")
        }
        guard score.isFinite else { throw refusal(number, "score", score, "a finite number") }
        return reference
    }

    fileprivate func refusal(
        _ number: Int, _ key: String, _ value: some Any, _ expected: String
    ) -> ExternalMatcherError {
        let shown = VisibleText.quoted("\(value)")
        return ExternalMatcherError("`answers[\(number)].\(key)` is \(shown); expected \(expected)")
    }
}

struct IdentifyAnswer: Codable {
    struct Answer: AdapterAnswer {
        var id: String
        /// Nil where the matcher states no position.
        var offsetSeconds: Double?
        var frequencySkew: Double?
        var timeSkew: Double?
        var score: Double
        var confidence: Double?
        var accepted: Bool?
        /// Whether the reference is another recording of the same music; nil means no.
        var related: Bool?
    }

    var query: String
    var answers: [Answer]

    static let mostAnswers = 10
    private static let longestOffsetSeconds = 1e7

    /// The candidates.
    ///
    /// - Parameter names: The judge's names of references by those of the adapter.
    /// - Throws: ``ExternalMatcherError`` for the first value that no candidate can have.
    func candidates(names: [String: String]) throws -> [Candidate] {
        guard answers.count <= Self.mostAnswers else {
            throw ExternalMatcherError("gave \(answers.count) answers; expected at most \(Self.mostAnswers)")
        }
        return try answers.enumerated().map { number, answer in
            if let offset = answer.offsetSeconds, !(abs(offset) <= Self.longestOffsetSeconds) {
                throw answer.refusal(number, "offsetSeconds", offset, "seconds, or null")
            }
            var candidate = Candidate(
                referenceID: try answer.reference(number, names: names), offsetSeconds: answer.offsetSeconds,
                frequencySkew: answer.frequencySkew, timeSkew: answer.timeSkew, score: answer.score,
                confidence: answer.confidence, isAccepted: answer.accepted ?? true)
            candidate.isRelated = answer.related ?? false
            return candidate
        }
    }
}

struct PassagesAnswer: Codable {
    struct Answer: AdapterAnswer {
        var id: String
        var queryRange: ClosedRange<Double>
        var referenceRange: ClosedRange<Double>
        var frequencySkew: Double?
        var timeSkew: Double?
        var score: Double
        var confidence: Double?
    }

    var query: String
    var answers: [Answer]

    /// The passages; a reference may have several.
    ///
    /// - Parameter names: The judge's names of references by those of the adapter.
    /// - Throws: ``ExternalMatcherError`` for the first value that no passage can have.
    func passages(names: [String: String]) throws -> [Passage] {
        try answers.enumerated().map { number, answer in
            let passage = Passage(
                referenceID: try answer.reference(number, names: names), queryRange: answer.queryRange,
                referenceRange: answer.referenceRange, frequencySkew: answer.frequencySkew,
                timeSkew: answer.timeSkew, score: answer.score, confidence: answer.confidence)
            if let fault = passage.fault {
                throw ExternalMatcherError("`answers[\(number)]` has \(fault)")
            }
            return passage
        }
    }
}

enum AdapterReply {
    struct Refusal: Codable { var error: String }

    /// Reads `line` as a `Reply`.
    ///
    /// - Throws: ``ExternalMatcherError`` with the adapter's own words if it answers `error`, else with the line.
    static func read<Reply: Decodable>(_ line: [UInt8], as type: Reply.Type) throws -> Reply {
        func refusal(_ reason: String) -> ExternalMatcherError {
            ExternalMatcherError("answered '\(VisibleText.quoted(line))': \(reason)")
        }
        let data = Data(line)
        guard String(validating: line, as: UTF8.self) != nil else { throw refusal("expected UTF-8") }
        if let refusal = try? JSONDecoder().decode(Refusal.self, from: data) {
            throw ExternalMatcherError("says: \(VisibleText.quoted(refusal.error))")
        }
        do {
            let reply = try JSONDecoder().decode(type, from: data)
            var keys = RepeatedKey(line)
            if let key = keys.find() {
                throw refusal("`\(VisibleText.quoted(key))` is there twice; expected each key once")
            }
            return reply
        } catch let error as DecodingError { throw refusal(error.place) }
    }
}
