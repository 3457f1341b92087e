/// A finding about a stream at one moment.
public struct StreamEvent: Sendable {
    /// The kinds of finding.
    public enum Kind: Hashable, Sendable {
        /// References match that did not before.
        case found
        /// The same references still match; their places are updated.
        case following
        /// No reference matches.
        case notFound
    }

    /// The kind of finding.
    public let kind: Kind
    /// The references, best first; offsets are those of the query's first sample.
    public let matches: [Match]
    /// The analysed part of the stream.
    public let query: Query
    /// The time in the stream of the query's first sample, in seconds.
    public let startSeconds: Double
    /// The time in the stream of the query's end, in seconds.
    public let elapsedSeconds: Double
}
