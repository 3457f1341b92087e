/// A figure with an interval that allows for clustered trials.
public struct ClusteredEstimate: Codable, Hashable, Sendable {
    /// The figure.
    public let value: Double
    /// The confidence interval.
    public let interval: Interval
    /// The number of clusters.
    public let clusters: Int

    /// The number of clusters from which the coverage of a bootstrap interval is about as stated.
    public static let enoughClusters = 100

    /// Whether the interval is likely too narrow because there are few clusters.
    public var hasFewClusters: Bool { clusters < Self.enoughClusters }

    /// Makes an estimate.
    public init(value: Double, interval: Interval, clusters: Int) {
        self.value = value
        self.interval = interval
        self.clusters = clusters
    }
}
