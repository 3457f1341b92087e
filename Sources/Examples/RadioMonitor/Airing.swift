import EarshotKit

/// A section of a broadcast that plays one reference.
package struct Airing: Sendable {
    /// The title of the reference; empty if it has none.
    package let title: String
    /// The identifier of the reference in its catalog.
    package let referenceID: String
    /// The start in seconds of the broadcast; up to 8 s early if the reference starts in its middle.
    package let startSeconds: TimeInterval
    /// The end in seconds of the broadcast.
    ///
    /// It is exact to a fraction of a second if the reference plays to its end, otherwise to about 5 s.
    package let endSeconds: TimeInterval
    package let offsetSeconds: TimeInterval
    /// The frequency over the reference's, minus 1.
    package let frequencySkew: Float

    package static let header = "start,end,title,offset,skew"

    /// The airing as comma-separated values: seconds, and the skew as a fraction.
    package var row: String {
        // By scalars: a combining mark joins the quote before it into one Character.
        let quoted = title.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        return String(format: "%.2f,%.2f,", startSeconds, endSeconds) + "\"\(quoted)\""
            + String(format: ",%.2f,%.5f", offsetSeconds, frequencySkew)
    }
}

/// An airing that may still continue.
struct OpenAiring {
    let startSeconds: TimeInterval
    let offsetSeconds: TimeInterval
    private(set) var item: SHMatchedMediaItem
    /// The broadcast times of the reference's start and end, if it plays in full.
    private(set) var referenceSeconds: ClosedRange<TimeInterval>
    /// The time of the last recognition; nil while recognised.
    private(set) var lostSinceSeconds: TimeInterval?

    /// Starts at a match of a reference of `duration` seconds at time `now` of the broadcast.
    init(_ item: SHMatchedMediaItem, duration: TimeInterval, atSeconds now: TimeInterval) {
        let rate = 1 + Double(item.timeSkew)
        let position = item.predictedCurrentMatchOffset
        // The query may begin before the reference.
        offsetSeconds = max(0, item.matchOffset)
        startSeconds = max(0, now - (position - offsetSeconds) / rate)
        let end = now + (duration - position) / rate
        referenceSeconds = min(now - position / rate, end)...end
        self.item = item
    }

    /// Whether both align the reference at the same broadcast time.
    func goesOn(as other: OpenAiring) -> Bool {
        abs(other.referenceSeconds.lowerBound - referenceSeconds.lowerBound) < Self.jumpSeconds
    }

    private static let jumpSeconds = 1.0

    mutating func goOn(as other: OpenAiring) {
        item = other.item
        referenceSeconds = other.referenceSeconds
        lostSinceSeconds = nil
    }

    mutating func lose(atSeconds seconds: TimeInterval) {
        if lostSinceSeconds == nil { lostSinceSeconds = seconds }
    }

    /// The airing if it is over at `seconds`.
    func closed(atSeconds seconds: TimeInterval) -> Airing {
        let end = min(lostSinceSeconds ?? seconds, referenceSeconds.upperBound)
        return Airing(
            title: item.title ?? "", referenceID: item.referenceID, startSeconds: startSeconds,
            endSeconds: max(startSeconds, end), offsetSeconds: offsetSeconds,
            frequencySkew: item.frequencySkew)
    }
}
