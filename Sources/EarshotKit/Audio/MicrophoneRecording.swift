import AudioCore
import AudioIO
import Synchronization

/// Reads a microphone on its own thread until it is stopped or the microphone fails.
package final class MicrophoneRecording: Sendable {
    package struct Block: Sendable {
        package let audio: AudioBuffer
        package let firstFrame: Int
        package let hostTime: UInt64
    }

    /// The longest wait of ``stop()`` for a running `onBlock`, in seconds.
    package static let longestWaitSeconds = 2.0

    private enum State {
        case recording
        case stopping
        case ended
    }

    private let microphone: Microphone
    private let state = Mutex(State.recording)
    private let ended = DispatchSemaphore(value: 0)
    private let threadMark = Mutex<ObjectIdentifier?>(nil)

    /// Starts reading blocks of `blockFrames` frames, and closes `microphone` at the end.
    ///
    /// Each block goes to `onBlock` on the recording thread. If the microphone fails, `onFailure` follows
    /// once, after the close.
    package init(
        _ microphone: Microphone, blockFrames: Int, onBlock: @escaping @Sendable (Block) -> Void,
        onFailure: @escaping @Sendable (MicrophoneError) -> Void
    ) {
        self.microphone = microphone
        let thread = Thread { [self] in
            threadMark.withLock { $0 = ObjectIdentifier(Thread.current) }
            let failure = run(blockFrames, onBlock)
            microphone.close()
            let wasStopped = state.withLock { state in
                defer { state = .ended }
                return state == .stopping
            }
            ended.signal()
            if let failure, !wasStopped { onFailure(failure) }
        }
        thread.name = "microphone"
        thread.start()
    }

    package var hasEnded: Bool { state.withLock { $0 == .ended } }

    /// Stops recording and releases the device; no block follows.
    ///
    /// Waits up to ``longestWaitSeconds`` for a running `onBlock`, because that block may be waiting for the
    /// caller. Does not wait when called from `onBlock`.
    package func stop() {
        let mustWait = state.withLock { state in
            guard state == .recording else { return false }
            state = .stopping
            return true
        }
        microphone.close()
        let isOwnThread = threadMark.withLock { $0 == ObjectIdentifier(Thread.current) }
        if mustWait, !isOwnThread {
            _ = ended.wait(timeout: .now() + Self.longestWaitSeconds)
        }
    }

    private func run(_ blockFrames: Int, _ onBlock: (Block) -> Void) -> MicrophoneError? {
        var firstFrame = 0
        while state.withLock({ $0 == .recording }) {
            do throws(MicrophoneError) {
                let audio = try microphone.read(frames: blockFrames)
                let age = audio.durationSeconds + microphone.latencySeconds()
                let now = AVAudioTime.now()
                let block = Block(
                    audio: audio, firstFrame: firstFrame,
                    hostTime: now - min(now, AVAudioTime.hostTime(forSeconds: age)))
                // Drops a block that arrives after a stop.
                guard state.withLock({ $0 == .recording }) else { return nil }
                onBlock(block)
                firstFrame += audio.frameCount
            } catch {
                return error
            }
        }
        return nil
    }
}

extension Microphone {
    /// Opens a source in the default microphone format under the program's name.
    convenience init(device: String? = nil, server: String?) throws(MicrophoneError) {
        let format = AVAudioFormat.microphone
        try self.init(
            sampleRate: Int(format.sampleRate), channelCount: Int(format.channelCount), device: device,
            applicationName: ProcessInfo.processInfo.processName, server: server)
    }
}
