import AudioCore
import Fingerprinting
import Synchronization

/// Matches signatures and audio streams against a catalog.
///
/// Outcomes go to the delegate and to ``results``, in order, on a queue of the session, after the call has returned. So a
/// delegate may wait for the queue that feeds the session, or take a lock under which it is fed. With a clock given by the
/// program the outcomes of a stream come before the call returns, so that a test knows when it has all of them.
///
/// The session freezes its catalog.
///
/// Sendable: all mutable state is behind locks.
public final class SHSession: NSObject, @unchecked Sendable {
    private struct WeakDelegate: @unchecked Sendable {
        weak var delegate: (any SHSessionDelegate)?
    }

    /// The catalog to match against.
    public let catalog: SHCatalog
    let clock: PlaybackClock
    private let lookup: QueryLookup
    /// Guards `stream`, which is not Sendable.
    private let streamLock = NSLock()
    private var stream: SessionStream
    private let timer = Mutex<(due: TimeInterval, task: Task<Void, Never>)?>(nil)
    private let receiver = Mutex(WeakDelegate())
    private let warning = Mutex<(handler: (@Sendable (String) -> Void)?, isDone: Bool)>((nil, false))
    private let broadcast = ResultBroadcast()
    private let queuedResults = ResultQueue()
    /// Whether the thread that finds an outcome delivers it.
    private let isSynchronous: Bool
    private let deliveries = DispatchQueue(label: "SHSession.deliveries")
    /// Runs what may take long: queries, and the streams of a hosted catalog.
    private let lookups = DispatchQueue(label: "SHSession.lookups")
    /// The audio that waits for a server, and what was left out since, in seconds.
    private let backlog = Mutex((waiting: 0.0, leftOut: 0.0))
    private static let longestBacklogSeconds = 300.0

    /// Makes a session for the hosted catalog that the environment names; see <doc:HostedCatalog>.
    ///
    /// Without one every query ends with `SHError` 202, because no catalog is online.
    public convenience override init() { self.init(catalog: .configured()) }

    /// Makes a session; later changes of the catalog have no effect.
    public convenience init(catalog: SHCatalog) {
        self.init(catalog: catalog, clock: .continuous, isSynchronous: false)
    }

    /// Makes a session that predicts positions by a given clock and delivers the outcomes of a stream before
    /// ``matchStreamingBuffer(_:at:)`` returns.
    public convenience init(catalog: SHCatalog, clock: PlaybackClock) {
        self.init(catalog: catalog, clock: clock, isSynchronous: true)
    }

    private init(catalog: SHCatalog, clock: PlaybackClock, isSynchronous: Bool) {
        self.catalog = catalog
        self.clock = clock
        self.isSynchronous = isSynchronous
        lookup = QueryLookup(catalog: catalog, clock: clock)
        stream = SessionStream(lookup: lookup, clock: clock)
        super.init()
        catalog.freeze()
    }

    deinit {
        broadcast.finish()
        timer.withLock { $0?.task.cancel() }
    }

    /// The receiver of outcomes, referenced weakly.
    public var delegate: (any SHSessionDelegate)? {
        get { receiver.withLock { $0.delegate } }
        set { receiver.withLock { $0.delegate = newValue } }
    }

    /// Receives a warning if the first query without a match is recognised at another speed than those that match.
    ///
    /// The reason may be a wrong sample rate, which the warning then names. The search begins after the outcome, on
    /// another thread, and takes as long as 14 queries. Without a handler there is none. A hosted catalog gives no warning.
    public var warningHandler: (@Sendable (String) -> Void)? {
        get { warning.withLock { $0.handler } }
        set { warning.withLock { $0.handler = newValue } }
    }

    /// The outcomes of ``match(_:)`` and ``matchStreamingBuffer(_:at:)``, as they occur.
    public var results: Results { broadcast.results() }

    /// Matches a signature and calls the delegate once, on another thread.
    public func match(_ signature: SHSignature) {
        let received = clock.seconds
        lookups.async { [self] in
            queuedResults.add([lookup.result(of: signature, receivedAtSeconds: received)])
            deliverQueued()
        }
    }

    /// Matches a signature and returns the outcome to the caller only.
    public func result(from signature: SHSignature) async -> Result {
        let received = clock.seconds
        return await onBlockingThread { [lookup] in lookup.result(of: signature, receivedAtSeconds: received)
        }
    }

    /// Matches the next audio of a stream; any number of outcomes may follow.
    ///
    /// A match occurs as soon as the evidence suffices, at the earliest after 0.75 s. It repeats when the
    /// references change, when a media item's time range begins or ends, and at least every 5 s of audio. A reference
    /// does not match more than 1 s after its end.
    ///
    /// `noMatch` occurs when the last reference has ended or was not recognised for 5 s, and after every 5 s in which
    /// nothing is recognised. Its signature is the audio since then.
    ///
    /// Time ranges follow the predicted position, also between buffers, until 1 s after the last audio. A
    /// range that contains the position of the first match is reported with that match.
    ///
    /// With a hosted catalog a match occurs at the earliest after 3 s. The audio waits for the server, the call does not,
    /// unless the program gave a clock. Of more than 300 s that wait the later audio is left out; the audio after it begins
    /// a new stream with `SHError` 202. A session that is released forgets what waits.
    ///
    /// The first buffer sets sample rate and channel count. A buffer that differs is skipped with `SHError`
    /// 100. ``SHSignatureGenerator`` describes the check of times for gaps. A misplaced buffer causes
    /// `SHError` 101 and starts a new stream. Sample time that starts over, as that of an engine started again,
    /// starts a new stream without an error. A non-finite sample causes `SHError` 200, and the next buffer
    /// starts a new stream. The channels are averaged. While two channels have more power in their
    /// difference than in their mean, half the difference is matched as well.
    public func matchStreamingBuffer(_ buffer: AVAudioPCMBuffer, at time: AVAudioTime?) {
        append(buffer.samples, at: time)
    }

    /// Matches the next audio of a stream, or reports the error of `samples`.
    ///
    /// - Parameter heardAtSeconds: The clock reading at the end of the audio; nil for the current one.
    func append(
        _ samples: () throws -> AudioBuffer, at time: AVAudioTime?, heardAtSeconds: TimeInterval? = nil
    ) {
        let now = heardAtSeconds ?? clock.seconds
        guard catalog.isHosted, !isSynchronous else {
            return follow { $0.append(samples, at: time, atSeconds: now) }
        }
        let audio = Swift.Result(catching: samples)
        let seconds = (try? audio.get().durationSeconds) ?? 0
        guard let leftOut = wait(seconds) else { return }
        lookups.async { [weak self] in
            guard let self else { return }
            if leftOut > 0 { follow { $0.leaveOut(seconds: leftOut) } }
            follow { $0.append(audio.get, at: time, atSeconds: now) }
            backlog.withLock { $0.waiting -= seconds }
        }
    }

    /// Adds audio to the backlog; the seconds left out before it, or nil if it is left out too.
    private func wait(_ seconds: Double) -> Double? {
        backlog.withLock { backlog in
            guard backlog.waiting + seconds <= Self.longestBacklogSeconds else {
                backlog.leftOut += seconds
                return nil
            }
            defer { backlog.leftOut = 0 }
            backlog.waiting += seconds
            return backlog.leftOut
        }
    }

    /// Delivers the outcomes of a step of the stream.
    private func follow(_ step: (inout SessionStream) -> [Result]) {
        streamLock.withLock { queuedResults.add(step(&stream)) }
        deliverQueued()
        schedule()
    }

    private func deliverQueued() {
        guard !isSynchronous else { return queuedResults.deliver(to: deliver) }
        guard !queuedResults.isEmpty else { return }
        deliveries.async { [self] in queuedResults.deliver(to: deliver) }
    }

    /// Passes a warning to the handler, on another thread.
    func warn(_ text: String) {
        guard let handler = warningHandler else { return }
        DispatchQueue.global(qos: .utility).async { handler(text) }
    }

    private func warn(of query: SHSignature) {
        let handler = warning.withLock { state in
            guard let handler = state.handler, !state.isDone else {
                return nil as (@Sendable (String) -> Void)?
            }
            state.isDone = true
            return handler
        }
        guard let handler else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            guard let speed = try? catalog.otherSpeed(of: query) else { return }
            let rate = streamLock.withLock { stream.sampleRate }
            handler("the audio \(speed.description(labelled: rate))")
        }
    }

    private func deliver(_ outcome: Result) {
        broadcast.send(outcome)
        if case .noMatch(let query) = outcome { warn(of: query) }
        guard let delegate else { return }
        switch outcome {
        case .match(let match): delegate.session(self, didFind: match)
        case .noMatch(let query): delegate.session(self, didNotFindMatchFor: query, error: nil)
        case .error(let error, let query): delegate.session(self, didNotFindMatchFor: query, error: error)
        }
    }

    /// Schedules a report for the next range boundary, in case no audio comes before it.
    private func schedule() {
        let due = streamLock.withLock { stream.nextBoundarySeconds() }
        timer.withLock { timer in
            if let timer, let due, abs(timer.due - due) < 0.001 { return }
            timer?.task.cancel()
            timer = due.map { due in
                (
                    due,
                    Task { [weak self, clock] in
                        guard (try? await clock.sleep(.seconds(due))) != nil, !Task.isCancelled else {
                            return
                        }
                        self?.reachBoundary()
                    }
                )
            }
        }
    }

    private func reachBoundary() {
        timer.withLock { $0 = nil }
        guard catalog.isHosted, !isSynchronous else { return follow { $0.reachBoundaries() } }
        lookups.async { [weak self] in self?.follow { $0.reachBoundaries() } }
    }

    func reset() {
        streamLock.withLock { stream = SessionStream(lookup: lookup, clock: clock) }
        timer.withLock { timer in
            timer?.task.cancel()
            timer = nil
        }
    }

    func endResults() { broadcast.finish(forGood: false) }
}

/// Receives the outcomes of a session.
///
/// Both methods are optional. They run on a queue of the session, one call at a time and in order. A session with a
/// clock given by the program calls them on the thread that found the outcome, or on one that is delivering. A call of
/// `matchStreamingBuffer` then waits for that thread.
public protocol SHSessionDelegate: NSObjectProtocol {
    /// A query or the latest audio of a stream matches references of the catalog.
    func session(_ session: SHSession, didFind match: SHMatch)

    /// A query or the latest audio of a stream has no match, or failed.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - signature: The query.
    ///   - error: Nil if there is no match; otherwise an `SHError`.
    func session(_ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?)
}

extension SHSessionDelegate {
    /// Does nothing.
    public func session(_ session: SHSession, didFind match: SHMatch) {}

    /// Does nothing.
    public func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {}
}

extension SHSession {
    /// The outcome of a query.
    @frozen public enum Result: Sendable {
        /// The query matches references of the catalog.
        case match(SHMatch)
        /// The query matches no reference.
        case noMatch(SHSignature)
        /// The query failed with an `SHError`.
        case error(any Error, SHSignature)
    }

    /// A sequence of a session's outcomes.
    ///
    /// Each sequence starts when it is created. The first one also receives up to 128 earlier outcomes. It
    /// ends when the session is deallocated or cancelled. A slow reader misses all but the latest 1,024
    /// outcomes.
    public struct Results: AsyncSequence, Sendable {
        /// An outcome.
        public typealias Element = SHSession.Result
        /// No error is thrown.
        public typealias Failure = Never

        let stream: AsyncStream<SHSession.Result>

        /// Makes an iterator that shares the sequence's outcomes.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        /// An iterator over outcomes.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<SHSession.Result>.Iterator

            /// The next outcome; nil at the end.
            public mutating func next() async -> SHSession.Result? { await base.next() }
        }
    }
}
