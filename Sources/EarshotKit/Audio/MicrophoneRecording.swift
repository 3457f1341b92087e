import AudioCore
import AudioIO
import Synchronization

/// Reads a microphone on a thread of its own until it is stopped or the microphone fails.
package final class MicrophoneRecording: Sendable {
    /// A block of audio and when it was recorded.
    package struct Block: Sendable {
        /// The samples.
        package let audio: AudioBuffer
        /// The number of the first frame, counted from the start of the recording.
        package let firstFrame: Int
        /// The host's time of the first frame, in nanoseconds, as ``AVAudioTime`` counts it.
        package let hostTime: UInt64
    }

    /// How long ``stop()`` waits for the block that is being handled, in seconds.
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

    /// Starts to read blocks of `blockFrames` frames from `microphone`, which it closes in the end.
    ///
    /// `onBlock` is called on the thread for each block in order; `onFailure` once when the microphone fails, after it was
    /// closed.
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

    /// Whether nothing will be read any more, and the microphone is closed.
    package var hasEnded: Bool { state.withLock { $0 == .ended } }

    /// Ends the recording; when it returns the device is released and no block will come.
    ///
    /// It waits for the block that is being handled, at most ``longestWaitSeconds``, for the handler may in turn wait for
    /// the caller. Called by the handler itself it does not wait.
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
                // A stop that came while the block was awaited leaves it out.
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
