#if Sound
    package import SoundServer

    package typealias Microphone = SoundServer.Microphone
    typealias Loudspeaker = SoundServer.Loudspeaker
#else
    import AudioCore
    import AudioIO

    /// No microphone, because the package was built without sound.
    package final class Microphone: Sendable {
        package let sampleRate: Int
        package let channelCount: Int

        /// - Throws: `MicrophoneError`, always.
        package init(
            sampleRate: Int, channelCount: Int, device: String? = nil, applicationName: String,
            server: String? = nil
        ) throws(MicrophoneError) {
            throw withoutSound
        }

        package func read(frames: Int) throws(MicrophoneError) -> AudioBuffer {
            throw MicrophoneError(.interrupted, "the microphone was closed")
        }

        package func latencySeconds() -> Double { 0 }
        package func close() {}
    }

    /// No loudspeaker either.
    final class Loudspeaker: Sendable {
        var waitingFrames: Int { 0 }

        /// - Throws: `MicrophoneError`, always.
        init(
            sampleRate: Int, channelCount: Int, bufferSeconds: Double, applicationName: String,
            server: String?
        ) throws { throw withoutSound }

        func play(_ samples: [Float], afterAllBut frames: Int? = nil) throws { throw withoutSound }
        func close() {}
    }

    private let withoutSound = MicrophoneError(
        .refused,
        "this program was built without sound; name the trait \"Sound\" of earshot in its Package.swift")
#endif
