/// Sums and counts of values by cluster, in the order of the clusters' names.
struct ClusterTotals {
    let sums: [Double]
    /// At least 1 each.
    let counts: [Double]

    /// The order of `values` does not change a digit.
    init(_ values: some Sequence<(cluster: String, value: Double)>) {
        var members: [String: [Double]] = [:]
        for (cluster, value) in values { members[cluster, default: []].append(value) }
        let names = members.keys.sorted()
        sums = names.map { (members[$0] ?? []).sorted().reduce(0, +) }
        counts = names.map { Double(members[$0]?.count ?? 0) }
    }

    var count: Double { counts.reduce(0, +) }
}
