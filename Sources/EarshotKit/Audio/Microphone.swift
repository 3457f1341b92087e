#if Sound
    package import SoundServer

    package typealias Microphone = SoundServer.Microphone
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
            throw MicrophoneError(
                .refused,
                "this program was built without sound; name the trait \"Sound\" of earshot in its Package.swift"
            )
        }

        package func read(frames: Int) throws(MicrophoneError) -> AudioBuffer {
            throw MicrophoneError(.interrupted, "the microphone was closed")
        }

        package func latencySeconds() -> Double { 0 }
        package func close() {}
    }
#endif
