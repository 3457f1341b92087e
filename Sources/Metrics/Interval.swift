/// A closed interval.
public struct Interval: Codable, Hashable, Sendable {
    /// The lower end.
    public var lower: Double
    /// The upper end; never below ``lower``.
    public var upper: Double

    /// Makes an interval of two ends in either order.
    public init(lower: Double, upper: Double) {
        self.lower = min(lower, upper)
        self.upper = max(lower, upper)
    }

    package func contains(_ value: Double) -> Bool { lower <= value && value <= upper }
}
