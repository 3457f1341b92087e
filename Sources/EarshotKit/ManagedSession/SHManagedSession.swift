import Observation

/// Records the microphone and recognises the audio.
///
/// It records through PulseAudio or PipeWire's PulseAudio server. It releases the device when idle.
///
/// ```swift
/// let session = SHManagedSession(catalog: catalog)
/// if case .match(let match) = await session.result() { print(match.mediaItems[0].title ?? "?") }
/// ```
public final class SHManagedSession: Observable, Sendable {
    /// The activity of a session.
    @frozen public enum State: Hashable, Sendable {
        /// Not recording.
        case idle
        /// Recording ahead of a request.
        case prerecording
        /// Recording and matching.
        case matching
    }

    /// `result()` is `noMatch` after this many such outcomes; a stream has one every 5 s.
    private static let maxMisses = 2

    /// The catalog to match against.
    public let catalog: SHCatalog
    private let session: SHSession
    private let recorder: SessionRecorder
    private let registrar = ObservationRegistrar()
    @MainActor private var shown = State.idle

    /// Makes a session for the hosted catalog that the environment names; see <doc:HostedCatalog>.
    ///
    /// Without one every result is `SHError` 202, because no catalog is online.
    public convenience init() { self.init(catalog: .configured()) }

    /// Makes a session that records the default source; later changes of the catalog have no effect.
    public convenience init(catalog: SHCatalog) { self.init(catalog: catalog, device: nil) }

    /// Makes a session that records a source, named as in `pactl list short sources`; nil is the default
    /// source.
    ///
    /// A source whose name ends in `.monitor` has what this machine plays.
    public convenience init(catalog: SHCatalog, device: String?) {
        self.init(catalog: catalog, device: device, server: nil)
    }

    /// Makes a session on the sound server at an address, or on the user's own.
    package init(catalog: SHCatalog, device: String?, server: String?) {
        self.catalog = catalog
        // The recorder's queue waits for the matching, so that no outcome comes after the recorder has stopped.
        session = SHSession(catalog: catalog, clock: .continuous)
        recorder = SessionRecorder(session: session, device: device, server: server)
    }

    deinit { recorder.stop() }

    /// Receives the warnings of ``SHSession/warningHandler``, and one if the catalog answers so slowly that audio is left out.
    ///
    /// Of the audio that waits for the catalog the latest 10 s are kept.
    public var warningHandler: (@Sendable (String) -> Void)? {
        get { session.warningHandler }
        set { session.warningHandler = newValue }
    }

    /// The session's activity; observable.
    ///
    /// `idle` also after a microphone failure, even while a sequence of results is open.
    @MainActor public var state: State {
        registrar.access(self, keyPath: \.state)
        return shown
    }

    /// Puts the catalog's index together and starts to record, so that the next result can use the latest 10 s.
    ///
    /// The next result reports a missing microphone. No effect without a catalog.
    public func prepare() async {
        guard catalog.fault == nil else { return }
        async let recording: Void = start(in: recorder.epoch)
        await onBlockingThread { [catalog] in catalog.prepare() }
        await recording
    }

    /// Records until a match, or until 10 s of audio had none.
    ///
    /// Audio recorded before counts. Afterwards the session is idle, unless other results are pending.
    ///
    /// The result is `SHError` 202 if the microphone is missing or fails, or if the session or task was
    /// cancelled.
    ///
    /// Without a catalog it is `SHError` 202 at once, and the microphone stays closed.
    public func result() async -> SHSession.Result {
        if let fault = catalog.fault { return Self.failed(fault) }
        // The order matters: a cancellation in between ends `outcomes`.
        let outcomes = session.results
        let epoch = recorder.addListener()
        return await listening(in: epoch) {
            var misses = 0
            for await outcome in outcomes {
                if case .noMatch = outcome {
                    misses += 1
                    guard misses == Self.maxMisses else { continue }
                }
                return outcome
            }
            let silence = SHSignature(.ofNothing())
            return .error(SHError(.matchAttemptFailed, message: "the session was cancelled"), silence)
        }
    }

    private static func failed(_ fault: SHError) -> SHSession.Result {
        .error(fault, SHSignature(.ofNothing()))
    }

    /// The outcomes of matching the microphone until ``cancel()``; recording starts immediately.
    ///
    /// They match ``SHSession/matchStreamingBuffer(_:at:)``; a microphone failure is `SHError` 202. The
    /// sequence keeps the session alive and matching.
    ///
    /// Without a catalog there is one outcome, `SHError` 202, and the microphone stays closed.
    public var results: SHSession.Results {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SHSession.Result.self, bufferingPolicy: .bufferingNewest(ResultBroadcast.maxUnread))
        if let fault = catalog.fault {
            continuation.yield(Self.failed(fault))
            continuation.finish()
            return SHSession.Results(stream: stream)
        }
        let outcomes = session.results
        let epoch = recorder.addListener()
        let task = Task {
            await listening(in: epoch) {
                for await outcome in outcomes { continuation.yield(outcome) }
                // The reader does not wait for the release of the microphone.
                continuation.finish()
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return SHSession.Results(stream: stream)
    }

    /// Stops recording and matching; the microphone is free on return.
    ///
    /// Sequences of results end after the outcomes found before. A microphone that is still opening is
    /// released once open. ``state`` changes before the return on the main thread, and soon after it on
    /// others.
    public func cancel() {
        recorder.stop()
        session.endResults()
        if Thread.isMainThread {
            MainActor.assumeIsolated { showState() }
        } else {
            Task { await showState() }
        }
    }

    /// Records and matches while `body` reads outcomes; the last one to end stops the recording.
    private func listening<R: Sendable>(
        in epoch: SessionRecorder.Epoch, _ body: @Sendable () async -> R
    ) async -> R {
        await start(in: epoch)
        recorder.match(in: epoch)
        let result = await body()
        await recorder.removeListener(in: epoch)
        await showState()
        return result
    }

    private func start(in epoch: SessionRecorder.Epoch) async {
        await recorder.start(in: epoch) { [weak self] in
            Task { await self?.showState() }
        }
        await showState()
    }

    /// Publishes the activity if it has changed.
    @MainActor private func showState() {
        let activity = recorder.activity
        guard activity != shown else { return }
        registrar.withMutation(of: self, keyPath: \.state) { shown = activity }
    }
}
