import AudioCore
import Fingerprinting

/// The stream of audio of a session: what is recognised in it now, and when that changes.
struct SessionStream {
    /// While a match goes on it is reported this often, in seconds.
    private static let repeatSeconds = 5.0
    /// A reference that is not recognised for so long has ended, in seconds: until then it may be a quiet passage under noise.
    private static let patienceSeconds = 5.0
    /// How long ranges still begin and end after the last audio, in seconds.
    private static let graceSeconds = 1.0

    private let lookup: QueryLookup
    private let clock: PlaybackClock
    private var matcher: StreamMatcher?
    private var format: (sampleRate: Int, channelCount: Int)?
    private var continuity = AudioContinuity()
    private var arrival = StreamArrival()
    private var heard: [HeardReference] = []
    private var query = SHSignature(Signature.ofNothing())
    private var reportedAtSeconds = 0.0

    init(lookup: QueryLookup, clock: PlaybackClock) {
        self.lookup = lookup
        self.clock = clock
    }

    /// Takes audio that had been heard at a reading of the clock, or says why there is none.
    mutating func append(
        _ samples: () throws -> AudioBuffer, at time: AVAudioTime?, atSeconds now: TimeInterval
    ) -> [SHSession.Result] {
        var outcomes: [SHSession.Result] = []
        do {
            let audio = try samples()
            try take(format: (audio.sampleRate, audio.channelCount))
            do {
                try continuity.append(seconds: audio.durationSeconds, at: time)
            } catch {
                outcomes.append(.error(error, query))
                beginAnew()
                try continuity.append(seconds: audio.durationSeconds, at: time)
            }
            var matcher =
                try self.matcher
                ?? StreamMatcher(
                    catalog: lookup.engine(), sampleRate: audio.sampleRate, channelCount: audio.channelCount,
                    settings: Self.settings)
            // The matcher is not copied for two owners.
            self.matcher = nil
            let events = try SHError.mapping(to: .signatureInvalid) { try matcher.append(audio) }
            arrival.note(heardSeconds: matcher.elapsedSeconds, atSeconds: now)
            self.matcher = matcher
            outcomes += boundaries(upTo: now)
            for event in events { outcomes += outcome(of: event, atSeconds: now) }
        } catch {
            if matcher == nil { beginAnew() }
            outcomes.append(.error(error, query))
        }
        return outcomes
    }

    private static var settings: StreamSettings {
        var settings = StreamSettings()
        settings.lostSeconds = patienceSeconds
        return settings
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

    private mutating func beginAnew() {
        matcher = nil
        continuity = AudioContinuity()
        arrival = StreamArrival()
        heard = []
    }

    private mutating func outcome(of event: StreamEvent, atSeconds now: TimeInterval) -> [SHSession.Result] {
        guard event.kind != .notFound else {
            heard = []
            query = SHSignature(event.query.signature)
            return [.noMatch(query)]
        }
        let before = heard
        heard = event.matches.map { match in
            let known = before.first { $0.match.referenceIndex == match.referenceIndex }
            return HeardReference(
                match: match, startSeconds: event.startSeconds,
                items: known?.items ?? lookup.items(of: match),
                continuing: known, clock: clock, arrival: arrival, atSeconds: now)
        }
        guard event.kind == .found || now - reportedAtSeconds >= Self.repeatSeconds else { return [] }
        query = SHSignature(event.query.signature)
        return [report(atSeconds: now)]
    }

    private mutating func report(atSeconds seconds: TimeInterval) -> SHSession.Result {
        reportedAtSeconds = seconds
        let items = heard.flatMap { $0.mediaItems(clock, arrival, atSeconds: seconds) }
        return .match(SHMatch(mediaItems: items, querySignature: query))
    }

    /// When a range begins or ends next, by the clock; nil when none does before audio must come.
    func nextBoundarySeconds() -> TimeInterval? {
        nextBoundary.flatMap { next in
            next.seconds <= arrival.latestSeconds + Self.graceSeconds ? next.seconds : nil
        }
    }

    private var nextBoundary: (place: Int, position: TimeInterval, seconds: TimeInterval)? {
        heard.indices.compactMap { place in
            heard[place].nextBoundary(clock, arrival).map { (place, $0.position, $0.seconds) }
        }.min { $0.seconds < $1.seconds }
    }

    /// Reports what begins or ends now.
    mutating func reachBoundaries() -> [SHSession.Result] {
        boundaries(upTo: min(clock.seconds, arrival.latestSeconds + Self.graceSeconds) + 1e-6)
    }

    private mutating func boundaries(upTo now: TimeInterval) -> [SHSession.Result] {
        var outcomes: [SHSession.Result] = []
        while let next = nextBoundary, next.seconds <= now {
            heard[next.place].reachedPosition = next.position
            outcomes.append(report(atSeconds: max(next.seconds, min(now, clock.seconds))))
        }
        return outcomes
    }
}
