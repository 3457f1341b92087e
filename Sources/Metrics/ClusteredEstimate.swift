/// A figure with an interval that allows for trials that come in clusters.
public struct ClusteredEstimate: Codable, Hashable, Sendable {
    /// The figure.
    public let value: Double
    /// The range that holds the true figure with the stated confidence.
    public let interval: Interval
    /// How many clusters the interval rests on.
    public let clusters: Int

    /// From this many clusters on a bootstrap interval covers the truth about as often as it says.
    public static let enoughClusters = 100

    /// Whether the interval is likely too narrow, for want of clusters.
    public var hasFewClusters: Bool { clusters < Self.enoughClusters }

    /// Makes an estimate.
    public init(value: Double, interval: Interval, clusters: Int) {
        self.value = value
        self.interval = interval
        self.clusters = clusters
    }
}
