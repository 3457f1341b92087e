import Corpora
import Foundation
import Matchers

/// Measures settings for an external search: ask and tell, as JSON lines.
///
/// Its introduction lists the settings and the rungs of the race. A request is `{"settings": {"name": value}, "rung":
/// 0}`. Missing settings keep the start's value, and a missing rung means all trials. The reply has the objectives,
/// or `{"error": "…"}`.
package final class ObjectiveServer {
    private struct Introduction: Encodable {
        let protocolVersion = 1
        let matcher: String
        let planDigest: String
        let half: CorpusHalf
        let rungTrials: [Int]
        let start: [String: Double]
        let settings: [TunableSetting]
    }

    private struct Request: Decodable {
        let settings: [String: Double]
        let rung: Int?
    }

    private struct Reply: Encodable {
        var rung: Int?
        var objectives: Objectives?
        var error: String?
    }

    private let measurements: MeasurementCache

    package init(_ space: SearchSpace, evaluator: CandidateEvaluator, seed: UInt64) throws {
        let ladder = RungLadder(strata: evaluator.questions.questions.map(\.stratum), seed: seed)
        measurements = try MeasurementCache(space: space, evaluator: evaluator, ladder: ladder, journal: nil)
    }

    package func introduction() throws -> String {
        let plan = measurements.evaluator.questions.plan
        return try Self.text(
            Introduction(
                matcher: measurements.space.contestant.name, planDigest: plan.digest, half: plan.half,
                rungTrials: measurements.ladder.rungs.map(\.count), start: measurements.space.start,
                settings: measurements.space.tunables))
    }

    /// The reply to one request; the reply to an invalid one names the expected form.
    ///
    /// - Throws: ``TuningError`` when queries or references cannot be read.
    package func reply(to line: String) throws -> String {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else {
            return try Self.text(
                Reply(error: "expected {\"settings\": {\"name\": number, …}, \"rung\": number}"))
        }
        let last = measurements.ladder.rungs.count - 1
        let rung = request.rung ?? last
        guard (0...last).contains(rung) else {
            return try Self.text(Reply(error: "there is no rung \(rung); expected 0...\(last)"))
        }
        let settings = measurements.space.start.merging(request.settings) { $1 }
        do {
            let entry = try measurements.entry(number: 0, settings: settings, rung: rung).entry
            return try Self.text(
                Reply(rung: rung, objectives: entry.objectives, error: measurements.failure(of: settings)))
        } catch let error as SettingError {
            return try Self.text(Reply(error: error.description))
        }
    }

    private static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
