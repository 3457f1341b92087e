/// What the machine did to a query, twice, so that nothing is known of the matcher.
///
/// A matcher in another process throws it: somebody ended that process, or the machine stood still.
public struct NotMeasured: Error, CustomStringConvertible, Sendable {
    /// What happened.
    public let description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}
