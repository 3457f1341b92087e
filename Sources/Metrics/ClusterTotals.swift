/// Values summed by cluster, the clusters in the order of their names.
struct ClusterTotals {
    /// The sum of the values of each cluster.
    let sums: [Double]
    /// How many values each cluster has; at least 1.
    let counts: [Double]

    /// Sums up values, each given with the name of its cluster; their order does not change a digit.
    init(_ values: some Sequence<(cluster: String, value: Double)>) {
        var members: [String: [Double]] = [:]
        for (cluster, value) in values { members[cluster, default: []].append(value) }
        let names = members.keys.sorted()
        sums = names.map { (members[$0] ?? []).sorted().reduce(0, +) }
        counts = names.map { Double(members[$0]?.count ?? 0) }
    }

    /// All values.
    var count: Double { counts.reduce(0, +) }
}
