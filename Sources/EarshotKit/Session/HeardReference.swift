import Fingerprinting

/// A reference that a stream is recognised as, and how far its media items have been reported.
struct HeardReference {
    let match: Match
    let items: [SHMediaItem]
    /// The time in the stream of the first sample that `match` is of.
    private let startSeconds: Double
    /// The reference time up to which ranges that begin or end have been reported.
    var reachedPosition: TimeInterval

    /// Takes a match that was just found; where it goes on from another, what was reported stays so.
    init(
        match: Match, startSeconds: Double, items: [SHMediaItem], continuing known: HeardReference?,
        clock: PlaybackClock, arrival: StreamArrival, atSeconds now: TimeInterval
    ) {
        self.match = match
        self.startSeconds = startSeconds
        self.items = items
        reachedPosition = 0
        let position = line(clock, arrival).position(at: now)
        // A place found anew is a little off the one before; only a jump makes ranges begin again.
        if let known, abs(known.line(clock, arrival).position(at: now) - position) < Self.jumpSeconds {
            reachedPosition = known.reachedPosition
        } else {
            reachedPosition = position
        }
    }

    private static let jumpSeconds = 0.5

    /// Where the playback is, by the clock.
    func line(_ clock: PlaybackClock, _ arrival: StreamArrival) -> PlaybackLine {
        let rate = 1 + match.timeSkew
        return PlaybackLine(
            clock: clock, atSeconds: arrival.latestSeconds,
            positionSeconds: match.offsetSeconds + (arrival.latestHeardSeconds - startSeconds) * rate,
            rate: rate)
    }

    /// The items that apply at a reading of the clock.
    func mediaItems(_ clock: PlaybackClock, _ arrival: StreamArrival, atSeconds seconds: TimeInterval)
        -> [SHMatchedMediaItem]
    {
        RecognisedReference(match: match, items: items, line: line(clock, arrival))
            .mediaItems(atSeconds: seconds, notBefore: reachedPosition)
    }

    /// The next reference time at which a range begins or ends, and when that is by the clock.
    func nextBoundary(_ clock: PlaybackClock, _ arrival: StreamArrival) -> (
        position: TimeInterval, seconds: TimeInterval
    )? {
        let bounds = items.flatMap(\.timeRanges).flatMap { [$0.lowerBound, $0.upperBound] }
        guard let position = bounds.filter({ $0 > reachedPosition }).min() else { return nil }
        return (position, line(clock, arrival).seconds(ofPosition: position))
    }
}
