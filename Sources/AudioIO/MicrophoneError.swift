/// The reason why a microphone could not be opened or read.
public struct MicrophoneError: Error, CustomStringConvertible, Sendable, Equatable {
    /// The kind of failure.
    public enum Code: String, Sendable {
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

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
