import Observation
import Synchronization

/// Records the microphone and recognises what is heard.
///
/// It records through PulseAudio, or PipeWire's server for it, and lets go of the device as soon as it is idle.
///
/// ```swift
/// let session = SHManagedSession(catalog: catalog)
/// if case .match(let match) = await session.result() { print(match.mediaItems[0].title ?? "?") }
/// ```
public final class SHManagedSession: Observable, Sendable {
    /// What a session is doing.
    @frozen public enum State: Hashable, Sendable {
        /// Nothing; the microphone is free.
        case idle
        /// It records, to have audio at hand when it is asked for a result.
        case prerecording
        /// It records and matches.
        case matching
    }

    /// `result()` has no match when so many outcomes had none, of which a stream has one every 5 s.
    private static let mostMisses = 2

    /// The catalog.
    public let catalog: SHCatalog
    private let session: SHSession
    private let recorder: SessionRecorder
    private let registrar = ObservationRegistrar()
    @MainActor private var shown = State.idle

    /// Makes a session without a catalog: there is none online, so that every result is `SHError` 202.
    public convenience init() { self.init(catalog: SHCatalog()) }

    /// Makes a session of a catalog that records the default source; later additions to the catalog are ignored.
    public convenience init(catalog: SHCatalog) { self.init(catalog: catalog, device: nil) }

    /// Makes a session that records a source by its name, as `pactl list short sources` prints it; nil is the default.
    public convenience init(catalog: SHCatalog, device: String?) {
        self.init(catalog: catalog, device: device, server: nil)
    }

    /// Makes a session that uses the sound server at an address; nil for the user's own.
    package init(catalog: SHCatalog, device: String?, server: String?) {
        self.catalog = catalog
        session = SHSession(catalog: catalog)
        recorder = SessionRecorder(session: session, device: device, server: server)
    }

    deinit { recorder.stop() }

    /// What the session is doing; observable.
    ///
    /// It is idle too when the microphone failed, though a sequence of results may not have ended.
    @MainActor public var state: State {
        registrar.access(self, keyPath: \.state)
        return shown
    }

    /// Starts to record, so that a result that is asked for later has the latest 10 s at hand.
    ///
    /// Does nothing while the session records already. Where there is no microphone the next result says so.
    public func prepare() async { await start(in: recorder.epoch) }

    /// Records until something is recognised, or nothing was in 10 s of audio.
    ///
    /// Audio that was recorded before counts too. The session is idle then, unless others wait for results.
    ///
    /// The result is `SHError` 202, with the reason, when there is no microphone, when it failed, or when the session
    /// or the task was cancelled meanwhile.
    public func result() async -> SHSession.Result {
        // In this order: a cancellation between the two ends the outcomes.
        let outcomes = session.results
        let epoch = recorder.addListener()
        return await listening(in: epoch) {
            var misses = 0
            for await outcome in outcomes {
                if case .noMatch = outcome {
                    misses += 1
                    guard misses == Self.mostMisses else { continue }
                }
                return outcome
            }
            let silence = SHSignature(.ofNothing())
            return .error(SHError(.matchAttemptFailed, message: "the session was cancelled"), silence)
        }
    }

    /// The outcomes of matching what the microphone records, until `cancel()`; recording begins at once.
    ///
    /// They come as those of `SHSession.matchStreamingBuffer` do; when the microphone fails, as `SHError` 202. The
    /// session lives, and is matching, until the sequence is let go of.
    public var results: SHSession.Results {
        let outcomes = session.results
        let epoch = recorder.addListener()
        let (stream, continuation) = AsyncStream.makeStream(
            of: SHSession.Result.self, bufferingPolicy: .bufferingNewest(ResultBroadcast.mostUnread))
        let task = Task {
            await listening(in: epoch) {
                for await outcome in outcomes { continuation.yield(outcome) }
                // Its reader need not wait until the microphone is free.
                continuation.finish()
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return SHSession.Results(stream: stream)
    }

    /// Stops recording and matching: sequences of results end with what was found before, and the microphone
    /// is free when it returns.
    ///
    /// A microphone that is just being opened is free once it has been. The state follows before it returns on the main
    /// thread, and soon on others.
    public func cancel() {
        recorder.stop()
        session.endResults()
        if Thread.isMainThread {
            MainActor.assumeIsolated { showState() }
        } else {
            Task { await showState() }
        }
    }

    /// Records and matches while `body` reads outcomes; when the last one has ended the session is idle.
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

    /// Shows what is being done now; observers are told if it is something else.
    @MainActor private func showState() {
        let activity = recorder.activity
        guard activity != shown else { return }
        registrar.withMutation(of: self, keyPath: \.state) { shown = activity }
    }
}
