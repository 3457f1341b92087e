/// What was found out about a stream at one moment.
public struct StreamEvent: Sendable {
    /// The kinds of finding.
    public enum Kind: Hashable, Sendable {
        /// References are named, or others than before.
        case found
        /// The references named before go on; where they are is known anew.
        case following
        /// Nothing is recognised.
        case notFound
    }

    /// The kind of finding.
    public let kind: Kind
    /// The references, best first, none when nothing was found; offsets are those of the query's first sample.
    public let matches: [Match]
    /// What was looked up.
    public let query: Query
    /// The time in the stream of the query's first sample, in seconds.
    public let startSeconds: Double
    /// How much of the stream had been heard, in seconds: the end of the query.
    public let heardSeconds: Double
}
