import Glibc

/// The reason why an audio file could not be read or written.
public struct AudioFileError: Error, CustomStringConvertible, Sendable, Equatable {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// There is no such file.
        case missing
        /// There is no permission to read the file or its folder.
        case unreadable
        /// Its name is not UTF-8.
        case notUTF8
        /// It is a folder, a device or a pipe.
        case notAFile
        /// The file has no bytes.
        case empty
        /// The bytes are not in a known audio format.
        case notAudio
        /// It is audio that needs a decoder which is not installed.
        case decoderMissing
        /// It is audio that needs a decoder which cannot be started.
        case decoderFailed
        /// Its decoder crashed, stopped or needed more than it may use.
        case decoderEnded
        /// It begins as audio but cannot be decoded.
        case damaged
        /// It is audio without samples.
        case noSamples
        /// Its sample rate is out of range.
        case unsupportedSampleRate
        /// Its channel count is out of range.
        case unsupportedChannelCount
        /// It has no audio track of the wanted number.
        case missingTrack
        /// A sample is infinite or not a number.
        case notFinite
        /// It has more samples than may be in memory at once.
        case tooLong
        /// The encoding does not accept this rate or this number of channels.
        case notOffered
        /// The encoder failed.
        case cannotEncode
    }

    /// Whether the fault is in the file itself, so that another try finds it again.
    package var isFaultOfContent: Bool {
        switch code {
        case .empty, .notAudio, .decoderEnded, .damaged, .noSamples, .unsupportedSampleRate,
            .unsupportedChannelCount, .missingTrack, .notFinite, .tooLong:
            true
        case .missing, .unreadable, .notUTF8, .notAFile, .decoderMissing, .decoderFailed, .notOffered,
            .cannotEncode:
            false
        }
    }

    /// Whether nothing is known of what follows in the file, so that it must not count as missing audio.
    var isFailureOfReading: Bool { code == .unreadable || code == .decoderEnded }

    /// The kind of failure.
    public let code: Code
    /// The file, as the caller named it.
    public let path: String
    /// What is wrong and what is expected.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// The error of a failed system call, by the number that the system has set.
    ///
    /// - Parameter kind: What was expected at `path`.
    static func unreadable(_ path: String, kind: String = "file") -> AudioFileError {
        errno == ENOENT || errno == ENOTDIR
            ? AudioFileError(.missing, path: path, "there is no such \(kind)")
            : AudioFileError(.unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
    }

    /// A signal ended the decoder of the file at `path`.
    static func endedBySignal(_ signal: Int32, path: String) -> AudioFileError {
        AudioFileError(
            .decoderEnded, path: path,
            "its decoder was ended by signal \(signal) (\(String(cString: strsignal(signal))))")
    }

    /// The path and the message.
    public var description: String { "\(path): \(message)" }
}
