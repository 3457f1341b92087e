import AudioCore
import Evaluation
import Fingerprinting
import Foundation
import Synchronization

/// Our own engine as a contestant.
final class FingerprintingMatcher: PreparingMatcher {
    let name = "earshot"
    let version: String
    let settings: [String: String]

    private struct State {
        var signatures: [(id: String, signature: Signature)] = []
        var catalog: Catalog?
    }

    private let engineSettings: Settings
    private let state = Mutex(State())

    /// Makes one with an engine's settings.
    init(settings: Settings = Settings()) {
        engineSettings = settings
        version = Settings.engineVersion
        self.settings = Self.described(settings)
    }

    /// Signatures depend on the settings of analysis alone, and not on how many peaks queries keep.
    var preparationKey: String {
        let analysis = settings.filter { $0.key.hasPrefix("analysis.") && $0.key != "analysis.queryRank" }
        return ([version] + analysis.map { "\($0.key)=\($0.value)" }.sorted()).joined(separator: "\n")
    }

    func prepare(_ audio: AudioBuffer) throws -> Signature {
        try SignatureExtractor.signature(of: audio, settings: engineSettings)
    }

    func enrol(id: String, prepared signature: Signature) {
        state.withLock { $0.signatures.append((id, signature)) }
    }

    func finishEnrolment() throws -> Int? {
        // Threads enrol in any order; the catalog's order must not depend on it.
        let signatures = state.withLock { state in
            defer { state.signatures = [] }
            return state.signatures.sorted { $0.id < $1.id }
        }
        let catalog = try Catalog(
            references: signatures.map { Reference(id: $0.id, signature: $0.signature) },
            settings: engineSettings)
        state.withLock { $0.catalog = catalog }
        return catalog.indexBytes
    }

    func identify(_ query: Evaluation.Query) throws -> [Evaluation.Candidate] {
        guard let catalog = state.withLock({ $0.catalog }) else { return [] }
        return try catalog.match(query: query.audio).map { match in
            var candidate = Evaluation.Candidate(
                referenceID: match.referenceID, offsetSeconds: match.offsetSeconds,
                frequencySkew: match.frequencySkew, timeSkew: match.timeSkew, score: match.score,
                confidence: match.confidence, isAccepted: match.isAccepted)
            candidate.freeFrequencySkew = Self.finite(match.freeFrequencySkew)
            candidate.freeTimeSkew = Self.finite(match.freeTimeSkew)
            candidate.frequencySkewStandardError = Self.finite(match.frequencySkewError)
            candidate.timeSkewStandardError = Self.finite(match.timeSkewError)
            return candidate
        }
    }

    /// What few peaks leave unknown has an infinite error, which a store cannot hold.
    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }

    /// Every setting as `group.name` → value.
    private static func described(_ settings: Settings) -> [String: String] {
        guard let data = try? JSONEncoder().encode(settings),
            let groups = try? JSONDecoder().decode([String: [String: Double]].self, from: data)
        else { return [:] }
        var described: [String: String] = [:]
        for (group, values) in groups {
            for (name, value) in values { described["\(group).\(name)"] = "\(value)" }
        }
        return described
    }
}
