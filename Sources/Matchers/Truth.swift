/// The true place of a query in its reference, as far as it is known.
///
/// All of it is known for a query made by this program, and what the list states for a recorded one. Nil values are
/// not scored.
public struct Truth: Codable, Hashable, Sendable {
    /// Reference time in seconds at the query's first sample; nil if only the reference is known.
    ///
    /// Under drift and wow it is on the line that ``timeSkew`` is the slope of.
    public var offsetSeconds: Double?
    /// The uncertainty of ``offsetSeconds``; nil if it is exact.
    ///
    /// With it, errors of offsets are not scored, and the right place is wider by this number of seconds.
    public var offsetToleranceSeconds: Double?
    /// f_query / f_reference − 1, by least squares of the phase over the query's signal.
    public var frequencySkew: Double?
    /// Reference seconds per query second − 1, by least squares over the query's signal.
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
