import AudioCore
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

    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

struct HelloAnswer: Codable {
    /// In protocol 2 an adapter finds passages too.
    static let protocols = 1...2

    var `protocol`: Int
    var name: String
    var version: String
    var settings: [String: SettingText]?

    struct SettingText: Codable {
        let text: String

        init(_ text: String) { self.text = text }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                text = flag ? "true" : "false"
            } else if let whole = try? container.decode(Int.self) {
                text = String(whole)
            } else if let number = try? container.decode(Double.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }

    func check() throws {
        guard Self.protocols.contains(`protocol`) else {
            throw ExternalMatcherError(
                "speaks protocol \(`protocol`); Earshot \(Release.number) speaks 1 and 2")
        }
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
        var offsetSeconds: Double
        var frequencySkew: Double?
        var timeSkew: Double?
        var score: Double
        var confidence: Double?
        var accepted: Bool?
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
            guard abs(answer.offsetSeconds) <= Self.longestOffsetSeconds else {
                throw answer.refusal(number, "offsetSeconds", answer.offsetSeconds, "seconds")
            }
            return Candidate(
                referenceID: try answer.reference(number, names: names), offsetSeconds: answer.offsetSeconds,
                frequencySkew: answer.frequencySkew, timeSkew: answer.timeSkew, score: answer.score,
                confidence: answer.confidence, isAccepted: answer.accepted ?? true)
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
        let data = Data(line)
        if let refusal = try? JSONDecoder().decode(Refusal.self, from: data) {
            throw ExternalMatcherError("says: \(VisibleText.quoted(refusal.error))")
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw ExternalMatcherError("answered '\(VisibleText.quoted(line))': \(error.place)")
        }
    }
}
