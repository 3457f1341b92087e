import AudioCore
import AudioIO
import Fingerprinting
import Synchronization

/// Records the microphone for a session, first into a buffer, then for matching.
final class SessionRecorder: Sendable {
    /// A number that each stop increments; requests of earlier epochs have no effect.
    typealias Epoch = Int

    /// 0.1 s.
    private static let blockFrames = Int(AVAudioFormat.microphone.sampleRate) / 10
    /// The most blocks that wait for matching to start, or for a slow catalog: 10 s.
    private static let maxBlocks = 100

    private struct Block {
        let audio: AudioBuffer
        /// The session clock at the block's end; matching may happen later.
        let heardAtSeconds: TimeInterval
    }

    private struct State {
        var epoch: Epoch
        var listenerCount = 0
        var isOpening = false
        var recording: MicrophoneRecording?
        var isMatching = false
        /// Audio that waits to be matched.
        var waiting: [Block] = []
        /// Whether audio before that which waits was left out.
        var leftOut = false
        var failure: MicrophoneError?
    }

    private let session: SHSession
    private let device: String?
    private let server: String?
    private let state = Mutex(State(epoch: 0))
    private let hasWarned = Atomic(false)
    /// Passes blocks to the session in order.
    private let queue = DispatchQueue(label: "SHManagedSession")

    init(session: SHSession, device: String?, server: String?) {
        self.session = session
        self.device = device
        self.server = server
    }

    var activity: SHManagedSession.State {
        state.withLock { state in
            guard state.recording != nil else { return .idle }
            return state.listenerCount > 0 ? .matching : .prerecording
        }
    }

    var epoch: Epoch { state.withLock { $0.epoch } }

    func addListener() -> Epoch {
        state.withLock { state in
            state.listenerCount += 1
            return state.epoch
        }
    }

    /// Opens the microphone unless it is open or the epoch is over; `onFailure` reports a later failure.
    func start(in epoch: Epoch, onFailure: @escaping @Sendable () -> Void) async {
        // The server may be slow: no thread of the concurrency pool waits for it.
        await onBlockingThread { self.open(in: epoch, onFailure: onFailure) }
    }

    private func open(in epoch: Epoch, onFailure: @escaping @Sendable () -> Void) {
        let mustOpen = state.withLock { state in
            guard state.epoch == epoch, state.recording == nil, !state.isOpening else { return false }
            state.isOpening = true
            state.failure = nil
            return true
        }
        guard mustOpen else { return }
        let opened = Result { () throws(MicrophoneError) in
            try Microphone(device: device, server: server)
        }
        state.withLock { state in
            guard state.epoch == epoch else { return }
            state.isOpening = false
            switch opened {
            case .success(let microphone):
                state.recording = MicrophoneRecording(
                    microphone, blockFrames: Self.blockFrames,
                    onBlock: { [weak self] in self?.take($0.audio, in: epoch) },
                    onFailure: { [weak self] error in
                        self?.state.withLock { self?.fail(error, in: epoch, &$0) }
                        onFailure()
                    })
            case .failure(let error): fail(error, in: epoch, &state)
            }
        }
    }

    /// Matches buffered and future audio, or reports the failure.
    func match(in epoch: Epoch) {
        state.withLock { state in
            guard state.epoch == epoch else { return }
            state.isMatching = true
            for _ in state.waiting { matchNext(in: epoch) }
            if let failure = state.failure { report(failure, in: epoch) }
            state.failure = nil
        }
    }

    private func take(_ audio: AudioBuffer, in epoch: Epoch) {
        let block = Block(audio: audio, heardAtSeconds: session.clock.seconds)
        let leavesOut = state.withLock { state in
            guard state.epoch == epoch else { return false }
            state.waiting.append(block)
            if state.waiting.count > Self.maxBlocks {
                state.waiting.removeFirst()
                state.leftOut = state.isMatching
            } else if state.isMatching {
                matchNext(in: epoch)
            }
            return state.leftOut
        }
        if leavesOut, !hasWarned.exchange(true, ordering: .relaxed) {
            session.warn("the catalog answers too slowly; recorded audio is left out")
        }
    }

    private func fail(_ error: MicrophoneError, in epoch: Epoch, _ state: inout State) {
        guard state.epoch == epoch else { return }
        state.recording = nil
        guard !state.isMatching else { return report(error, in: epoch) }
        state.waiting = []
        state.failure = error
    }

    private func matchNext(in epoch: Epoch) {
        queue.async { [weak self] in self?.matchOldest(in: epoch) }
    }

    private func matchOldest(in epoch: Epoch) {
        let (block, leftOut) = state.withLock { state in
            guard state.epoch == epoch, !state.waiting.isEmpty else { return (nil as Block?, false) }
            defer { state.leftOut = false }
            return (state.waiting.removeFirst(), state.leftOut)
        }
        guard let block else { return }
        // A stream with a gap would have wrong times.
        if leftOut { session.reset() }
        session.append({ block.audio }, at: nil, heardAtSeconds: block.heardAtSeconds)
    }

    private func report(_ error: MicrophoneError, in epoch: Epoch) {
        queue.async { [weak self] in
            guard let self, self.epoch == epoch else { return }
            session.append({ throw SHError(.matchAttemptFailed, message: error.message) }, at: nil)
        }
    }

    /// Removes a request; the last one releases the microphone.
    func removeListener(in epoch: Epoch) async {
        await onBlockingThread {
            self.stop { state in
                guard state.epoch == epoch else { return false }
                state.listenerCount -= 1
                return state.listenerCount == 0
            }
        }
    }

    func stop() { stop { _ in true } }

    private func stop(if mustStop: (inout State) -> Bool) {
        let recording: MicrophoneRecording?? = state.withLock { state in
            guard mustStop(&state) else { return nil }
            let recording = state.recording
            state = State(epoch: state.epoch + 1)
            // Runs before any audio of the next epoch.
            queue.async { [session] in session.reset() }
            return .some(recording)
        }
        guard let recording else { return }
        recording?.stop()
        queue.sync {}
    }
}
