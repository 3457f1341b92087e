/// Where a query lies in its reference, as far as that is known.
///
/// All is known of a query that was made here; of one that somebody recorded, what their list says. What is
/// nil is not scored.
public struct Truth: Codable, Hashable, Sendable {
    /// Reference time in seconds at the query's first sample; nil where only the reference is known.
    public var offsetSeconds: Double?
    /// How far off that may be, where it is not known exactly: then errors of offsets are not scored, and
    /// an answer is at the right place within so many seconds more.
    public var offsetToleranceSeconds: Double?
    /// f_query / f_reference − 1.
    public var frequencySkew: Double?
    /// Reference seconds per query second − 1, by least squares over the query.
    public var timeSkew: Double?
    /// The change of the time skew per second, for drift and wow.
    public var skewChangePerSecond: Double

    /// Makes a truth.
    public init(
        offsetSeconds: Double?, frequencySkew: Double?, timeSkew: Double?, skewChangePerSecond: Double,
        offsetToleranceSeconds: Double? = nil
    ) {
        self.offsetSeconds = offsetSeconds
        self.frequencySkew = frequencySkew
        self.timeSkew = timeSkew
        self.skewChangePerSecond = skewChangePerSecond
        self.offsetToleranceSeconds = offsetToleranceSeconds
    }
}
