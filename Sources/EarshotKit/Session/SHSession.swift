import AudioCore
import Fingerprinting
import Synchronization

/// Looks signatures and streams of audio up in a catalog.
///
/// Outcomes go to the delegate and to `results` alike. A session takes the catalog as it is when the session is made.
///
/// Sendable because all that changes is under locks.
public final class SHSession: NSObject, @unchecked Sendable {
    private struct WeakDelegate: @unchecked Sendable {
        weak var delegate: (any SHSessionDelegate)?
    }

    /// The catalog.
    public let catalog: SHCatalog
    let clock: PlaybackClock
    private let lookup: QueryLookup
    /// Guards `stream`, whose parts are not made to be sent.
    private let streamLock = NSLock()
    private var stream: SessionStream
    private let timer = Mutex<(due: TimeInterval, task: Task<Void, Never>)?>(nil)
    private let receiver = Mutex(WeakDelegate())
    private let broadcast = ResultBroadcast()
    private let outbox = ResultOutbox()
    private let queue = DispatchQueue(label: "SHSession")

    /// Makes a session without a catalog: there is none online, so that every query ends with `SHError` 202.
    public convenience override init() { self.init(catalog: SHCatalog()) }

    /// Makes a session of a catalog; later additions to the catalog are ignored.
    public convenience init(catalog: SHCatalog) { self.init(catalog: catalog, clock: .continuous) }

    /// Makes a session whose predictions go by a clock of yours.
    public init(catalog: SHCatalog, clock: PlaybackClock) {
        self.catalog = catalog
        self.clock = clock
        lookup = QueryLookup(catalog: catalog, clock: clock)
        stream = SessionStream(lookup: lookup, clock: clock)
        super.init()
        (catalog as? SHCustomCatalog)?.freeze()
    }

    deinit {
        broadcast.finish()
        timer.withLock { $0?.task.cancel() }
    }

    /// Is told of outcomes; not kept alive by the session.
    public var delegate: (any SHSessionDelegate)? {
        get { receiver.withLock { $0.delegate } }
        set { receiver.withLock { $0.delegate = newValue } }
    }

    /// The outcomes of `match` and `matchStreamingBuffer` as they come.
    public var results: Results { broadcast.results() }

    /// Looks a signature up; the delegate is called exactly once, on another thread.
    public func match(_ signature: SHSignature) {
        let received = clock.seconds
        queue.async { [self] in deliver(lookup.result(of: signature, receivedAtSeconds: received)) }
    }

    /// Looks a signature up; the outcome goes to the caller and to no one else.
    public func result(from signature: SHSignature) async -> Result {
        let received = clock.seconds
        return await aside { [lookup] in lookup.result(of: signature, receivedAtSeconds: received) }
    }

    /// Takes the next audio of a stream, and tells what was found in all that came so far.
    ///
    /// Any number of outcomes may follow, before it returns: a match as soon as the evidence allows, first after
    /// 0.75 s; again when other references are heard, when a media item's time range begins or ends, and at least every 5 s
    /// while the match goes on; no match when nothing was recognised for 5 s, and every 5 s from then on. Of a range that
    /// holds the position when its reference is first recognised, that match is the only sign. Ranges begin and end by the
    /// predicted position, between two buffers too, until 1 s after the last audio.
    ///
    /// The first buffer fixes sample rate and number of channels; a later one that differs ends with `SHError` 100 and
    /// does not count. With times the audio is checked for gaps as in `SHSignatureGenerator`; a buffer that is not where it
    /// must be ends with `SHError` 101, and the stream begins anew with it. A sample that is not a finite number
    /// ends with `SHError` 200, and the stream begins anew behind it. The mean of the channels is heard: of two channels
    /// of which one is inverted, nothing.
    public func matchStreamingBuffer(_ buffer: AVAudioPCMBuffer, at time: AVAudioTime?) {
        append(buffer.samples, at: time)
    }

    /// Takes the next audio of a stream, or the reason why there is none.
    ///
    /// - Parameter heardAtSeconds: the reading of the clock when the audio had been heard; nil for the present one.
    func append(
        _ samples: () throws -> AudioBuffer, at time: AVAudioTime?, heardAtSeconds: TimeInterval? = nil
    ) {
        streamLock.withLock {
            let now = heardAtSeconds ?? clock.seconds
            outbox.post(stream.append(samples, at: time, atSeconds: now))
        }
        outbox.empty(deliver)
        schedule()
    }

    private func deliver(_ outcome: Result) {
        broadcast.send(outcome)
        guard let delegate else { return }
        switch outcome {
        case .match(let match): delegate.session(self, didFind: match)
        case .noMatch(let query): delegate.session(self, didNotFindMatchFor: query, error: nil)
        case .error(let error, let query):
            delegate.session(self, didNotFindMatchFor: query, error: error)
        }
    }

    /// Waits for the next range that begins or ends, should no audio come before.
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
        streamLock.withLock { outbox.post(stream.reachBoundaries()) }
        outbox.empty(deliver)
        schedule()
    }

    /// Forgets the stream so far.
    func reset() {
        streamLock.withLock { stream = SessionStream(lookup: lookup, clock: clock) }
        timer.withLock { timer in
            timer?.task.cancel()
            timer = nil
        }
    }

    /// Ends the sequences of results that there are.
    func endResults() { broadcast.finish(forGood: false) }
}
