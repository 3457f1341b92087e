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
    /// Let p be the rate, w a weight, y 1 for a success and else 0, and c one of m clusters.
    /// The variance of p is m/(m − 1) · Σ꜀ (Σ w(y − p))² / (Σ w)²: the ratio estimator of W. G. Cochran,
    /// "Sampling Techniques", 3rd edition, 1977, section 9A.2. It is also the sandwich estimator of Liang and
    /// Zeger, Biometrika 73(1), 1986. The effective trials are p(1 − p) over it, at most Kish's
    /// (Σ w)² / Σ w². If all or none succeed, the variance is 0 and Kish's number is used, as in Korn and Graubard,
    /// Survey Methodology 24(2), 1998. A single cluster counts as one trial.
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
        let p = total.success / total.weight
        let most = total.weight * total.weight / squares
        rate = p
        guard clusters > 1 else {
            effectiveTrials = 1
            return
        }
        // Sorted, so that the last digit does not depend on the order of a dictionary.
        let spread = sums.values.map { ($0.success - p * $0.weight) * ($0.success - p * $0.weight) }
            .sorted().reduce(0, +)
        let m = Double(clusters)
        let variance = m / (m - 1) * spread / (total.weight * total.weight)
        effectiveTrials = variance > 0 ? min(most, p * (1 - p) / variance) : most
    }
}

extension Proportion {
    /// Counts clustered trials.
    ///
    /// The interval is Wilson's for the effective number of trials, which never exceeds the actual number.
    /// A single cluster has the interval of a single trial.
    public init(clustered trials: some Sequence<(cluster: String, success: Bool)>) {
        let trials = Array(trials)
        let variance = ClusterVariance(trials.lazy.map { ($0.cluster, 1, $0.success) })
        self.init(
            trials.count { $0.success }, of: trials.count, clusters: variance.clusters,
            designEffect: trials.isEmpty ? 1 : Double(trials.count) / variance.effectiveTrials)
    }
}
