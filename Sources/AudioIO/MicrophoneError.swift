/// A microphone that could not be opened or read, and why.
public struct MicrophoneError: Error, CustomStringConvertible, Sendable, Equatable {
    /// What kind of failure.
    public enum Code: String, Sendable {
        /// No sound server answers, or it lets nobody in.
        case noServer
        /// The server has no source of that name, or none at all.
        case noSource
        /// The rate or the number of channels is beyond what the server takes.
        case invalidFormat
        /// The server or the source went away while recording, or the microphone was closed.
        case interrupted
        /// The server refused for another reason.
        case refused
    }

    /// What kind of failure.
    public let code: Code
    /// What was tried, what happened, and what may help.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
