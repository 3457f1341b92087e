import AudioCore
import AudioIO

/// Reads a microphone on its own thread until it is stopped or the microphone fails.
package final class MicrophoneRecording: Sendable {
    package struct Block: Sendable {
        package let audio: AudioBuffer
        package let firstFrame: Int
        package let hostTime: UInt64

        package init(audio: AudioBuffer, firstFrame: Int, hostTime: UInt64) {
            self.audio = audio
            self.firstFrame = firstFrame
            self.hostTime = hostTime
        }
    }

    let thread: AudioThread

    /// Starts reading blocks of `blockFrames` frames, and closes `microphone` at the end.
    ///
    /// Each block goes to `onBlock` on the recording thread. If the microphone fails, `onFailure` follows
    /// once, after the close.
    package init(
        _ microphone: Microphone, blockFrames: Int, onBlock: @escaping @Sendable (Block) -> Void,
        onFailure: @escaping @Sendable (MicrophoneError) -> Void
    ) {
        thread = AudioThread(
            name: "microphone", close: { microphone.close() },
            run: { isRunning in
                var firstFrame = 0
                while isRunning() {
                    let audio = try microphone.read(frames: blockFrames)
                    let age = audio.durationSeconds + microphone.latencySeconds()
                    let now = AVAudioTime.now()
                    let block = Block(
                        audio: audio, firstFrame: firstFrame,
                        hostTime: now - min(now, AVAudioTime.hostTime(forSeconds: age)))
                    // Drops a block that arrives after a stop.
                    guard isRunning() else { return }
                    onBlock(block)
                    firstFrame += audio.frameCount
                }
            },
            onFailure: { if let error = $0 as? MicrophoneError { onFailure(error) } })
    }

    package var hasEnded: Bool { thread.hasEnded }

    /// Stops recording and releases the device, as ``AudioThread/stop()`` does; no block follows.
    package func stop() { thread.stop() }
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
