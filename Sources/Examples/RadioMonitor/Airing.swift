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

/// An airing that may still go on.
struct OpenAiring {
    let startSeconds: TimeInterval
    let offsetSeconds: TimeInterval
    /// How the reference was recognised last.
    private(set) var item: SHMatchedMediaItem
    /// When the beginning and the end of the reference are heard, if it runs through.
    private(set) var referenceSeconds: ClosedRange<TimeInterval>
    /// Since when it has not been recognised.
    private(set) var lostSinceSeconds: TimeInterval?

    /// Begins where a match has found a reference of a length at a time of the broadcast.
    init(_ item: SHMatchedMediaItem, duration: TimeInterval, atSeconds now: TimeInterval) {
        let rate = 1 + Double(item.timeSkew)
        let position = item.predictedCurrentMatchOffset
        // The query may have begun before the reference did.
        offsetSeconds = max(0, item.matchOffset)
        startSeconds = max(0, now - (position - offsetSeconds) / rate)
        let end = now + (duration - position) / rate
        referenceSeconds = min(now - position / rate, end)...end
        self.item = item
    }

    /// Whether the other one is this one, recognised anew: the reference runs through at the same time.
    func goesOn(as other: OpenAiring) -> Bool {
        abs(other.referenceSeconds.lowerBound - referenceSeconds.lowerBound) < Self.jumpSeconds
    }

    private static let jumpSeconds = 1.0

    /// Takes over where the reference runs by a later match.
    mutating func goOn(as other: OpenAiring) {
        item = other.item
        referenceSeconds = other.referenceSeconds
        lostSinceSeconds = nil
    }

    /// Notes that it is no longer recognised.
    mutating func lose(atSeconds seconds: TimeInterval) {
        if lostSinceSeconds == nil { lostSinceSeconds = seconds }
    }

    /// The airing, when it is over at a time.
    func closed(atSeconds seconds: TimeInterval) -> Airing {
        let end = min(lostSinceSeconds ?? seconds, referenceSeconds.upperBound)
        return Airing(
            title: item.title ?? "", referenceID: item.referenceID, startSeconds: startSeconds,
            endSeconds: max(startSeconds, end), offsetSeconds: offsetSeconds,
            frequencySkew: item.frequencySkew)
    }
}
