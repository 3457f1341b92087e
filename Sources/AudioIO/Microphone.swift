import AudioCore

/// An open recording from a source of PulseAudio or PipeWire.
///
/// The server converts to the requested rate and channels. Recording begins when the microphone is opened and ends when
/// it is closed or deallocated. Of unread audio, the latest 5 seconds are kept.
package final class Microphone: Sendable {
    /// The rates that the server accepts, in hertz.
    package static let sampleRates = 1000...384_000
    /// The channel counts that the server accepts.
    package static let channelCounts = 1...32
    /// The length of the fragments that the server sends, which is the least latency.
    static let fragmentSeconds = 0.02
    /// Older unread audio is lost.
    package static let backlogSeconds = 5.0

    package let sampleRate: Int
    package let channelCount: Int

    private let stream: MicrophoneStream

    /// Opens a source and waits for the server's answer.
    ///
    /// `device` is the source's name as `pactl list short sources` prints it; nil is the server's default.
    /// `applicationName` is the name in the server's mixers.
    /// `server` is an address such as "unix:/run/user/1000/pulse/native"; nil is PULSE_SERVER, or the user's own server.
    /// - Throws: ``MicrophoneError`` without a server or source, or if the server refuses the format.
    package init(
        sampleRate: Int, channelCount: Int, device: String? = nil, applicationName: String,
        server: String? = nil
    ) throws(MicrophoneError) {
        guard Self.sampleRates.contains(sampleRate), Self.channelCounts.contains(channelCount) else {
            throw MicrophoneError(
                .invalidFormat,
                "cannot record \(channelCount) channels at \(sampleRate) Hz; expected "
                    + "\(Self.channelCounts.lowerBound) to \(Self.channelCounts.upperBound) channels and "
                    + "\(Self.sampleRates.lowerBound) to \(Self.sampleRates.upperBound) Hz")
        }
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        stream = try MicrophoneStream(
            sampleRate: sampleRate, channelCount: channelCount, device: device,
            applicationName: applicationName, server: server)
    }

    /// Waits for the next `frames` frames, at least 1.
    ///
    /// Concurrent readers take turns. A suspended source sends nothing, so the call waits.
    /// - Throws: ``MicrophoneError`` if the recording ends before; frames that have arrived are then lost.
    package func read(frames: Int) throws(MicrophoneError) -> AudioBuffer {
        precondition(frames >= 1, "cannot read \(frames) frames")
        let interleaved = try stream.read(count: frames * channelCount)
        return interleaved.withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: sampleRate, channelCount: channelCount)
        }
    }

    /// The age of the next unread frame in seconds, by the server's estimate; 0 if closed.
    package func latencySeconds() -> Double { stream.latencySeconds() }

    /// Releases the device and interrupts readers; may be called twice.
    package func close() { stream.close() }
}
