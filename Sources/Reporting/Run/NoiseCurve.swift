import Evaluation
import Metrics

/// Recall of one kind of noise at one query length, against the signal-to-noise ratio in decibels.
///
/// The trials are those whose chain is that noise and nothing else, whatever their family is called.
package struct NoiseCurve: Sendable {
    /// The kind of noise in words: `pink noise`, `babble, 4 voices`.
    package let noise: String
    /// The query length in seconds.
    package let lengthSeconds: Double
    /// What was seen, and the fitted curve.
    package let recall: RecallCurve
    /// The ratios at which the curve reaches ``wantedRecalls``, in decibels over the full band.
    package let crossings: [RecallCurve.Crossing?]

    /// The recalls whose ratios are stated.
    package static let wantedRecalls = [0.5, 0.9]
    /// With fewer ratios a curve of three parameters says nothing.
    package static let fewestLevels = 3

    /// The curves of a run, in the order of its first trials.
    static func all(_ trials: [JudgedTrial], seed: UInt64) -> [NoiseCurve] {
        struct Key: Hashable {
            let noise: String
            let lengthSeconds: Double
        }
        typealias Observation = (cluster: String, level: Double, success: Bool)
        var order: [Key] = []
        var members: [Key: [Observation]] = [:]
        for trial in trials where trial.record.isPositive && trial.outcome != nil {
            guard let (noise, level) = Self.noise(of: trial.record) else { continue }
            let key = Key(noise: noise, lengthSeconds: trial.record.lengthSeconds)
            if members[key] == nil { order.append(key) }
            members[key, default: []].append((trial.cluster, level, trial.outcome == .correct))
        }
        let bootstrap = ClusterBootstrap(resamples: ReportModel.resamples, seed: seed)
        return order.compactMap { key in
            guard let curve = RecallCurve(members[key] ?? []), curve.points.count >= fewestLevels else {
                return nil
            }
            return NoiseCurve(
                noise: key.noise, lengthSeconds: key.lengthSeconds, recall: curve,
                crossings: curve.crossings(at: wantedRecalls, bootstrap))
        }
    }

    /// The noise of a trial and its ratio to the signal, where nothing else was done to the query.
    private static func noise(of record: TrialRecord) -> (name: String, level: Double)? {
        let steps = ChainSteps(json: record.chain).steps.filter { $0.name != "identity" }
        guard let step = steps.first, steps.count == 1,
            ["noise", "babble", "ambience", "music"].contains(step.name),
            let level = step.parameters["snrDecibels"].flatMap(Double.init) ?? record.severityValue
        else { return nil }
        let name = step.parameters["colour"].map { "\($0) \(step.name)" } ?? step.name
        let rest = step.parameters.filter { !["snrDecibels", "seed", "colour"].contains($0.key) }
        let details = rest.sorted { $0.key < $1.key }.map { ", \($0.key) \($0.value)" }
        return (name + details.joined(), level)
    }
}
