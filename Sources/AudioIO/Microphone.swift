import AudioCore

/// An open recording from a source of PulseAudio, or of PipeWire's server for it.
///
/// The server converts to the rate and channels that are asked for. Recording begins when the microphone is opened and
/// ends when it is closed or let go of; of what is not read in time the latest ``backlogSeconds`` are kept.
public final class Microphone: Sendable {
    /// The rates the server takes, in hertz.
    public static let sampleRates = 1000...384_000
    /// The channel counts the server takes.
    public static let channelCounts = 1...32
    /// The audio that the server sends at once, in seconds: what a sample waits at least before it is read.
    public static let fragmentSeconds = 0.02

    /// How much that was recorded and not read is kept, in seconds; what is older is lost.
    public static let backlogSeconds = 5.0

    /// The sample rate in hertz.
    public let sampleRate: Int
    /// The number of channels.
    public let channelCount: Int

    private let stream: MicrophoneStream

    /// Opens a source and waits until the server says yes or no.
    ///
    /// - Parameters:
    ///   - device: the source's name as `pactl list short sources` prints it; nil for the server's default.
    ///   - applicationName: what the server's mixers show to the user.
    ///   - server: the server's address, for example "unix:/run/user/1000/pulse/native"; nil for the user's own, or what
    ///     the environment's PULSE_SERVER says.
    /// - Throws: ``MicrophoneError`` when there is no server or no source, or when the format is not taken.
    public init(
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
    /// Threads that read at once take turns. A source that is suspended sends nothing, and the wait lasts as long.
    /// - Throws: ``MicrophoneError`` when the server or the source has gone, or the microphone was closed, before that many
    ///   frames came; those that did are lost.
    public func read(frames: Int) throws(MicrophoneError) -> AudioBuffer {
        precondition(frames >= 1, "cannot read \(frames) frames")
        let interleaved = try stream.read(count: frames * channelCount)
        return interleaved.withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: sampleRate, channelCount: channelCount)
        }
    }

    /// How long ago the next frame to be read was recorded, in seconds, as far as the server knows; 0 when closed.
    public func latencySeconds() -> Double { stream.latencySeconds() }

    /// Releases the device, and interrupts those who read; closing twice is no mistake.
    public func close() { stream.close() }
}
