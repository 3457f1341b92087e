import AudioCore
import Fingerprinting

/// The state of a session's audio stream: the recognised references and when they change.
struct SessionStream {
    /// The interval of reports during a match, in seconds of audio.
    private static let repeatSeconds = 5.0
    /// The time after which an unrecognised reference has ended, in seconds; before, it may be quiet under
    /// noise.
    private static let lostSeconds = 5.0
    /// How long after the last audio ranges still begin and end, in seconds.
    private static let graceSeconds = 1.0

    private let lookup: QueryLookup
    private let clock: PlaybackClock
    /// The rate of its audio, in hertz; nil before any.
    var sampleRate: Int? { format?.sampleRate }

    private var matcher: StreamMatcher?
    private var format: (sampleRate: Int, channelCount: Int)?
    private var continuity = AudioContinuity()
    private var arrival = StreamArrival()
    private var tracked: [TrackedReference] = []
    private var query = SHSignature(Signature.ofNothing())
    /// The stream time of the latest report.
    private var reportedHeardSeconds = 0.0

    init(lookup: QueryLookup, clock: PlaybackClock) {
        self.lookup = lookup
        self.clock = clock
    }

    /// Matches audio that ended at a clock reading, or reports the error of `samples`.
    mutating func append(
        _ samples: () throws -> AudioBuffer, at time: AVAudioTime?, atSeconds now: TimeInterval
    ) -> [SHSession.Result] {
        var outcomes: [SHSession.Result] = []
        do {
            let audio = try samples()
            if continuity.startsOver(at: time) {
                restart()
                format = nil
            }
            try take(format: (audio.sampleRate, audio.channelCount))
            do {
                try continuity.append(seconds: audio.durationSeconds, at: time)
            } catch {
                outcomes.append(.error(error, query))
                restart()
                try continuity.append(seconds: audio.durationSeconds, at: time)
            }
            var matcher =
                try self.matcher
                ?? lookup.catalog.streamMatcher(
                    sampleRate: audio.sampleRate, channelCount: audio.channelCount,
                    lostSeconds: Self.lostSeconds)
            // Avoids a copy on write.
            self.matcher = nil
            let events = try SHError.mapping(to: .signatureInvalid) { try matcher.append(audio) }
            arrival.note(heardSeconds: matcher.elapsedSeconds, atSeconds: now)
            self.matcher = matcher
            outcomes += boundaries(upTo: now)
            for event in events { outcomes += outcome(of: event, atSeconds: now) }
        } catch {
            if matcher == nil { restart() }
            outcomes.append(.error(error, query))
        }
        return outcomes
    }

    private mutating func take(format new: (sampleRate: Int, channelCount: Int)) throws {
        guard let format else {
            format = new
            return
        }
        guard format == new else {
            throw SHError(
                .invalidAudioFormat,
                message:
                    "the stream changed from \(format.channelCount) channels at \(format.sampleRate) Hz to"
                    + " \(new.channelCount) at \(new.sampleRate) Hz")
        }
    }

    private mutating func restart() {
        matcher = nil
        continuity = AudioContinuity()
        arrival = StreamArrival()
        tracked = []
        reportedHeardSeconds = 0
    }

    /// Starts a new stream, because audio before the next is missing.
    mutating func leaveOut(seconds: Double) -> [SHSession.Result] {
        restart()
        let error = SHError(
            .matchAttemptFailed,
            message: "the server answers too slowly; \(seconds) s of the audio were left out")
        return [.error(error, query)]
    }

    private mutating func outcome(of event: StreamEvent, atSeconds now: TimeInterval) -> [SHSession.Result] {
        guard event.kind != .notFound else {
            tracked = []
            query = SHSignature(event.query.signature)
            return [.noMatch(query)]
        }
        let before = tracked
        tracked = event.matches.map { match in
            let known = before.first { $0.match.referenceIndex == match.referenceIndex }
            return TrackedReference(
                match: match, startSeconds: event.startSeconds,
                items: known?.items ?? lookup.catalog.items(of: match) { _ in true },
                continuing: known, clock: clock, arrival: arrival, atSeconds: now)
        }
        guard event.kind == .found || event.elapsedSeconds - reportedHeardSeconds >= Self.repeatSeconds else {
            return []
        }
        query = SHSignature(event.query.signature)
        return [report(atSeconds: now, heardSeconds: event.elapsedSeconds)]
    }

    private mutating func report(
        atSeconds seconds: TimeInterval, heardSeconds: Double
    ) -> SHSession.Result {
        reportedHeardSeconds = heardSeconds
        let items = RecognisedReference.mediaItems(
            of: tracked.map { $0.recognised(clock, arrival, showsAll: lookup.catalog.showsAllItems) },
            atSeconds: seconds)
        return .match(SHMatch(mediaItems: items, querySignature: query))
    }

    /// The clock reading of the next range boundary; nil if audio must come first.
    func nextBoundarySeconds() -> TimeInterval? {
        nextBoundary.flatMap { next in
            next.seconds <= arrival.latestSeconds + Self.graceSeconds ? next.seconds : nil
        }
    }

    private var nextBoundary: (place: Int, position: TimeInterval, seconds: TimeInterval)? {
        tracked.indices.compactMap { place in
            tracked[place].nextBoundary(clock, arrival).map { (place, $0.position, $0.seconds) }
        }.min { $0.seconds < $1.seconds }
    }

    mutating func reachBoundaries() -> [SHSession.Result] {
        boundaries(upTo: min(clock.seconds, arrival.latestSeconds + Self.graceSeconds) + 1e-6)
    }

    private mutating func boundaries(upTo now: TimeInterval) -> [SHSession.Result] {
        var outcomes: [SHSession.Result] = []
        while let next = nextBoundary, next.seconds <= now {
            tracked[next.place].reachedPosition = next.position
            outcomes.append(
                report(
                    atSeconds: max(next.seconds, min(now, clock.seconds)),
                    heardSeconds: matcher?.elapsedSeconds ?? reportedHeardSeconds))
        }
        return outcomes
    }
}

/// The relation of stream time to clock time.
///
/// A buffer arrives at its end or later. The smallest delay of the latest 10 s estimates the time of samples.
struct StreamArrival {
    private static let memorySeconds = 10.0

    private var delays: [(atSeconds: TimeInterval, delay: TimeInterval)] = []
    /// The clock reading at the latest buffer's arrival.
    private(set) var latestSeconds = 0.0

    mutating func note(heardSeconds: Double, atSeconds now: TimeInterval) {
        latestSeconds = now
        let delay = now - heardSeconds
        // An older delay that is no smaller can never be the minimum again.
        delays.removeAll { $0.delay >= delay || now - $0.atSeconds > Self.memorySeconds }
        delays.append((now, delay))
    }

    /// The stream time at the latest buffer's arrival.
    var latestHeardSeconds: Double {
        guard let least = delays.first?.delay else { return 0 }
        return latestSeconds - least
    }
}

/// A reference recognised in a stream, and how far its media items have been reported.
struct TrackedReference {
    let match: Match
    let items: [SHMediaItem]
    /// The stream time of the first sample of `match`.
    private let startSeconds: Double
    /// Range boundaries up to this reference time have been reported.
    var reachedPosition: TimeInterval

    /// Keeps the reported boundaries of `known` if the position has not jumped.
    init(
        match: Match, startSeconds: Double, items: [SHMediaItem], continuing known: TrackedReference?,
        clock: PlaybackClock, arrival: StreamArrival, atSeconds now: TimeInterval
    ) {
        self.match = match
        self.startSeconds = startSeconds
        self.items = items
        reachedPosition = 0
        let position = line(clock, arrival).position(at: now)
        // Successive matches differ slightly. Only a jump repeats range boundaries.
        if let known, abs(known.line(clock, arrival).position(at: now) - position) < Self.jumpSeconds {
            reachedPosition = known.reachedPosition
        } else {
            reachedPosition = position
        }
    }

    private static let jumpSeconds = 0.5

    func line(_ clock: PlaybackClock, _ arrival: StreamArrival) -> PlaybackLine {
        let rate = 1 + match.timeSkew
        return PlaybackLine(
            clock: clock, atSeconds: arrival.latestSeconds,
            positionSeconds: match.offsetSeconds + (arrival.latestHeardSeconds - startSeconds) * rate,
            rate: rate)
    }

    func recognised(_ clock: PlaybackClock, _ arrival: StreamArrival, showsAll: Bool) -> RecognisedReference {
        RecognisedReference(
            match: match, items: items, showsAll: showsAll, line: line(clock, arrival),
            reachedPosition: reachedPosition)
    }

    func nextBoundary(_ clock: PlaybackClock, _ arrival: StreamArrival) -> (
        position: TimeInterval, seconds: TimeInterval
    )? {
        let bounds = items.flatMap(\.timeRanges).flatMap { [$0.lowerBound, $0.upperBound] }
        guard let position = bounds.filter({ $0 > reachedPosition }).min() else { return nil }
        return (position, line(clock, arrival).seconds(ofPosition: position))
    }
}
