/// A closed interval that states how far a figure can be trusted.
public struct Interval: Codable, Hashable, Sendable {
    /// The lower end.
    public var lower: Double
    /// The upper end; never below ``lower``.
    public var upper: Double

    /// Makes an interval; the ends are put in order.
    public init(lower: Double, upper: Double) {
        self.lower = min(lower, upper)
        self.upper = max(lower, upper)
    }

    /// Whether `value` lies in the interval, ends included.
    public func contains(_ value: Double) -> Bool { lower <= value && value <= upper }
}
