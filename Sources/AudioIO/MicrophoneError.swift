package struct MicrophoneError: Error, CustomStringConvertible, Sendable, Equatable {
    package enum Code: String, Sendable {
        /// No sound server answers, or it refuses the connection.
        case noServer
        /// The server has no source of that name, or none at all.
        case noSource
        /// The server does not accept the rate or the number of channels.
        case invalidFormat
        /// The server or the source ended the recording, or the microphone was closed.
        case interrupted
        /// The server refused for another reason.
        case refused
    }

    package let code: Code
    /// What is wrong and what to do.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
