import EarshotKit

/// A stretch of a broadcast that is of one reference.
public struct Airing: Sendable {
    /// The title of the reference; empty when it has none.
    public let title: String
    /// The identifier of the reference in its catalog.
    public let referenceID: String
    /// When it was heard first, in seconds from the beginning of the broadcast; up to 8 s early where the reference was
    /// joined in its middle.
    public let startSeconds: TimeInterval
    /// When it was heard last: to the fraction of a second where the reference came to its end, to about 5 s where it
    /// was broken off.
    public let endSeconds: TimeInterval
    /// The reference time at `startSeconds`.
    public let offsetSeconds: TimeInterval
    /// By how much it was higher than the reference, as a fraction.
    public let frequencySkew: Float

    /// The names of the columns of ``row``.
    public static let header = "start,end,title,offset,skew"

    /// The airing as a row of comma-separated values; times are in seconds, the skew is a fraction.
    public var row: String {
        // By scalars: a combining mark joins the quote before it into one Character.
        let quoted = title.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        return String(format: "%.2f,%.2f,", startSeconds, endSeconds) + "\"\(quoted)\""
            + String(format: ",%.2f,%.5f", offsetSeconds, frequencySkew)
    }
}
