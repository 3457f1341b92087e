/// An audio file that could not be read or written, and why.
public struct AudioFileError: Error, CustomStringConvertible, Sendable, Equatable {
    /// What kind of failure.
    public enum Code: String, Sendable {
        /// There is no such file.
        case missing
        /// The file, or the folder it lies in, may not be read.
        case unreadable
        /// It is a folder, a device or a pipe, not a file.
        case notAFile
        /// The file holds no byte.
        case empty
        /// The bytes are no audio that is known here.
        case notAudio
        /// It is audio, but of a kind that needs a decoder which is not installed.
        case decoderMissing
        /// It is audio, but the decoder that it needs cannot be started.
        case decoderFailed
        /// It begins as audio but cannot be decoded.
        case damaged
        /// It is audio without a single sample.
        case noSamples
        /// Its sample rate is beyond what is accepted.
        case unsupportedSampleRate
        /// Its channel count is beyond what is accepted.
        case unsupportedChannelCount
        /// A sample is infinite or not a number.
        case notFinite
        /// It decodes to more samples than are held in memory at once.
        case tooLong
        /// The encoding does not take this rate or this number of channels.
        case notOffered
        /// The encoder refused.
        case cannotEncode
    }

    /// What kind of failure.
    public let code: Code
    /// The file as it was named by the caller.
    public let path: String
    /// What was found and what was expected.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// The file and what is wrong with it, for the user.
    public var description: String { "\(path): \(message)" }
}
