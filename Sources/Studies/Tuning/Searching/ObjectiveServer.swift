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
        /// How far the settings are beyond the limits, as a share of the one that is exceeded most.
        var excess: Double?
        var error: String?
    }

    private let measurements: MeasurementCache

    package init(_ space: SearchSpace, evaluator: CandidateEvaluator, seed: UInt64) {
        measurements = MeasurementCache(space: space, evaluator: evaluator, seed: seed)
    }

    package func introduction() throws -> String {
        let plan = measurements.evaluator.questions.plan
        return try Introduction(
            matcher: measurements.space.contestant.name, planDigest: plan.digest, half: plan.half,
            rungTrials: measurements.ladder.rungs.map(\.count), start: measurements.space.start,
            settings: measurements.space.tunables
        ).sortedJSON()
    }

    /// The reply to one request; the reply to an invalid one names the expected form.
    ///
    /// - Throws: ``TuningError`` when queries or references cannot be read.
    package func reply(to line: String) throws -> String {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else {
            return try Reply(error: "expected {\"settings\": {\"name\": number, …}, \"rung\": number}")
                .sortedJSON()
        }
        let last = measurements.ladder.rungs.count - 1
        let rung = request.rung ?? last
        guard (0...last).contains(rung) else {
            return try Reply(error: "there is no rung \(rung); expected 0...\(last)").sortedJSON()
        }
        let settings = measurements.space.start.merging(request.settings) { $1 }
        do {
            let entry = try measurements.entry(number: 0, settings: settings, rung: rung).entry
            let error = measurements.failure(of: settings)
            let excess = entry.objectives.map(measurements.space.goals.excess)
            return try Reply(
                rung: rung, objectives: entry.objectives, excess: excess.flatMap { $0.isFinite ? $0 : nil },
                error: error
            ).sortedJSON()
        } catch let error as SettingError {
            return try Reply(error: error.description).sortedJSON()
        }
    }
}
