/// The sampling error of a rate whose observations come in clusters.
///
/// Queries of one recording tend to succeed or fail together. A thousand queries of forty recordings therefore carry
/// less information than a thousand independent ones.
struct ClusterVariance {
    /// What is observed of one cluster.
    struct Sums {
        var weight = 0.0
        var success = 0.0

        mutating func add(_ weight: Double, _ gain: Double) {
            self.weight += weight
            success += gain
        }
    }

    /// The share of the weight that succeeded; nil without weight.
    let rate: Double?
    let clusters: Int
    /// The number of independent, equally weighted trials with the same variance.
    let effectiveTrials: Double

    /// Takes observations with weights of at least 0.
    ///
    /// A rate without failures, or with failures in one cluster only, says little about the spread between clusters.
    /// So the variance includes one more cluster of 1¼ times the average weight. It plays the part of the added
    /// trials of Agresti and Coull, The American Statistician 52(2), 1998. Its share of the rarer outcome is that of the
    /// cluster of an average rare outcome, (½ + Σ r²) / (1 + Σ r), where r is a cluster's share. The constants are two
    /// clusters with a share of ½. They decide where the outcome never occurs.
    /// Weight and constants are the smallest with which simulated intervals hold (`scripts/nightly.sh --only coverage`).
    ///
    /// An observation has a weight w and an outcome y, 1 for a success and 0 for a failure. The weights of the
    /// m clusters sum to W, without the added one. The rate with the added cluster is p. The variance V is then
    /// m/(m − 1) · Σ꜀ (Σ w(y − p))² / W², where c is any cluster or the added one. The effective trials are
    /// p(1 − p) / V, at most Kish's W² / Σ w². A single cluster counts as one trial.
    ///
    /// V is the ratio estimator of W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, section 9A.2, and the
    /// sandwich estimator of Liang and Zeger, Biometrika 73(1), 1986.
    init(_ observations: some Sequence<(cluster: String, weight: Double, success: Bool)>) {
        var sums: [String: Sums] = [:]
        var total = Sums()
        var squares = 0.0
        for (cluster, weight, success) in observations {
            let gain = success ? weight : 0
            sums[cluster, default: Sums()].add(weight, gain)
            total.add(weight, gain)
            squares += weight * weight
        }
        self.init(sums.values, total, squares: squares)
    }

    /// Takes clusters of observations with a weight of 1.
    init(_ clusters: some Collection<Sums>) {
        var total = Sums()
        for sums in clusters { total.add(sums.weight, sums.success) }
        self.init(clusters, total, squares: total.weight)
    }

    /// - Parameter squares: the sum of the squared weights of the observations.
    private init(_ sums: some Collection<Sums>, _ total: Sums, squares: Double) {
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
        let isFailureRare = total.success * 2 >= total.weight
        // Sorted, so that the last digit does not depend on the order of a dictionary.
        let shares = sums.filter { $0.weight > 0 }
            .map { (isFailureRare ? $0.weight - $0.success : $0.success) / $0.weight }.sorted()
        let share = (0.5 + shares.reduce(0) { $0 + $1 * $1 }) / (1 + shares.reduce(0, +))
        let weight = 1.25 * total.weight / m
        let added = Sums(weight: weight, success: weight * (isFailureRare ? 1 - share : share))
        let p = (total.success + added.success) / (total.weight + added.weight)
        let squaredResiduals = (Array(sums) + [added]).map { cluster -> Double in
            let residual = cluster.success - p * cluster.weight
            return residual * residual
        }
        let spread = squaredResiduals.sorted().reduce(0, +)
        effectiveTrials = min(most, p * (1 - p) * total.weight * total.weight / (m / (m - 1) * spread))
    }
}

extension Proportion {
    /// Counts clustered trials.
    ///
    /// The intervals allow for the spread between clusters and for their number. They say nothing about a single
    /// cluster. Clusters of one trial each are independent trials.
    public init(clustered trials: some Sequence<(cluster: String, success: Bool)>) {
        var sums: [String: ClusterVariance.Sums] = [:]
        for (cluster, success) in trials {
            sums[cluster, default: ClusterVariance.Sums()].add(1, success ? 1 : 0)
        }
        self.init(clusters: sums.values)
    }

    /// Counts the trials of each cluster, each with a weight of 1.
    init(clusters: some Collection<ClusterVariance.Sums>) {
        let variance = ClusterVariance(clusters)
        let trials = Int(clusters.reduce(0) { $0 + $1.weight })
        let successes = Int(clusters.reduce(0) { $0 + $1.success })
        if variance.clusters == trials, trials != 1 {
            self.init(successes, of: trials)
        } else {
            self.init(
                successes, of: trials, clusters: variance.clusters,
                designEffect: Double(trials) / variance.effectiveTrials)
        }
    }
}
