/// A figure with an interval that allows for clustered trials.
package struct ClusteredEstimate: Codable, Hashable, Sendable {
    package let value: Double
    package let interval: Interval
    package let clusters: Int

    /// The number of clusters from which the coverage of a bootstrap interval is about as stated.
    package static let enoughClusters = 100

    /// Whether the interval is likely too narrow because there are few clusters.
    package var hasFewClusters: Bool { clusters < Self.enoughClusters }
}
