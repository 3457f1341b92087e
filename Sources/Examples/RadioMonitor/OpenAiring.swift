import EarshotKit

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
