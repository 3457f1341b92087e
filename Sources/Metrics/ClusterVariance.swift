/// The sampling error of a rate whose observations come in clusters.
///
/// Queries of one recording tend to succeed or fail together. A thousand queries of forty recordings therefore carry
/// less information than a thousand independent ones.
struct ClusterVariance {
    private struct Sums {
        var weight = 0.0
        var success = 0.0
    }

    /// The share of the weight that succeeded; nil without weight.
    let rate: Double?
    let clusters: Int
    /// The number of independent, equally weighted trials with the same variance.
    let effectiveTrials: Double

    /// Takes observations with weights of at least 0.
    ///
    /// Let w be a weight, y 1 for a success and else 0, c one of m clusters, W the sum of weights, and p the rate
    /// after one more cluster of average weight that succeeds by half. The variance of the rate is
    /// m/(m − 1) · Σ꜀ (Σ w(y − p))² / W², over m + 1 clusters: the ratio estimator of W. G. Cochran, "Sampling
    /// Techniques", 3rd edition, 1977, section 9A.2, which is also the sandwich estimator of Liang and Zeger,
    /// Biometrika 73(1), 1986. The effective trials are p(1 − p) over it, at most Kish's W² / Σ w².
    ///
    /// The additional cluster plays the part of the added trials of Agresti and Coull, The American Statistician
    /// 52(2), 1998. Without it the variance is 0 if all or none succeed, and far too small if only one cluster fails.
    /// A single cluster counts as one trial.
    init(_ observations: some Sequence<(cluster: String, weight: Double, success: Bool)>) {
        var sums: [String: Sums] = [:]
        var total = Sums()
        var squares = 0.0
        for (cluster, weight, success) in observations {
            let gain = success ? weight : 0
            sums[cluster, default: Sums()].weight += weight
            sums[cluster, default: Sums()].success += gain
            total.weight += weight
            total.success += gain
            squares += weight * weight
        }
        clusters = sums.count
        guard total.weight > 0 else {
            (rate, effectiveTrials) = (nil, 0)
            return
        }
        let most = total.weight * total.weight / squares
        rate = total.success / total.weight
        guard clusters > 1 else {
            effectiveTrials = 1
            return
        }
        let m = Double(clusters)
        let added = Sums(weight: total.weight / m, success: total.weight / m / 2)
        let p = (total.success + added.success) / (total.weight + added.weight)
        // Sorted, so that the last digit does not depend on the order of a dictionary.
        let spread = (sums.values + [added])
            .map { ($0.success - p * $0.weight) * ($0.success - p * $0.weight) }.sorted().reduce(0, +)
        effectiveTrials = min(
            most, p * (1 - p) * total.weight * total.weight / (m / (m - 1) * spread))
    }
}

extension Proportion {
    /// Counts clustered trials.
    ///
    /// The intervals allow for the spread between clusters and for their number. They say nothing about a single
    /// cluster. Clusters of one trial each are independent trials.
    public init(clustered trials: some Sequence<(cluster: String, success: Bool)>) {
        let trials = Array(trials)
        let successes = trials.count { $0.success }
        let variance = ClusterVariance(trials.lazy.map { ($0.cluster, 1, $0.success) })
        if variance.clusters == trials.count, trials.count != 1 {
            self.init(successes, of: trials.count)
        } else {
            self.init(
                successes, of: trials.count, clusters: variance.clusters,
                designEffect: Double(trials.count) / variance.effectiveTrials)
        }
    }
}
