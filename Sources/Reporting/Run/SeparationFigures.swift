import Evaluation
import Metrics

/// How well the scores of a run part right answers from false accepts.
package struct SeparationFigures: Sendable {
    /// The error rates at every threshold, all conditions together.
    package let curve: DetectionCurve
    /// The rate at which misses and false accepts are alike; nil where they never are.
    package let equalErrorRate: ClusteredEstimate?
    /// Recall at ``wantedRates`` in catalogs ``growths`` times as large as the run's.
    package let recalls: [ScoreSeparation.RecallAtRate]
    /// How many recordings, or groups that share audio, the scarcer kind of trial comes from.
    package let clusters: Int

    /// The false-accept rates for which the recall is stated.
    package static let wantedRates = [0.01, 0.001]
    /// The catalog sizes for which it is stated, as multiples of the run's.
    package static let growths = [1.0, 10, 100, 1000]

    /// Scores the trials that were run; nil without positives or without negatives.
    init?(_ trials: [JudgedTrial], seed: UInt64) {
        let run = trials.lazy.filter { $0.outcome != nil }.map { (cluster: $0.cluster, scores: $0.scores) }
        guard let separation = ScoreSeparation(Array(run)) else { return nil }
        let bootstrap = ClusterBootstrap(resamples: ReportModel.resamples, seed: seed)
        curve = separation.curve
        equalErrorRate = separation.equalErrorRate(bootstrap)
        recalls = separation.recalls(
            atFalseAcceptRates: Self.wantedRates, catalogGrowths: Self.growths, bootstrap)
        clusters = separation.fewerClusters
    }
}
