import AudioIO

/// What went wrong with audio files, conversions, engines and sessions, by Core Audio's codes.
public struct AVFAudioError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The kinds of failure, as `OSStatus` numbers.
    public enum Code: Int, Hashable, Sendable {
        /// There is no such file ("fnf").
        case fileNotFound = -43
        /// The end of the file was reached.
        case endOfFile = -39
        /// The file may not be read or written ("prm?").
        case filePermissions = 1_886_547_263
        /// The file is damaged or has no sample ("dta?").
        case invalidFile = 1_685_348_671
        /// The file is no audio that is known here ("typ?").
        case unsupportedFileType = 1_954_115_647
        /// The format cannot be had in this place ("fmt?").
        case unsupportedFormat = 1_718_449_215
        /// A buffer is too small or of the wrong size ("insz").
        case invalidInputSize = 1_768_846_202
        /// Recording cannot start: no sound server, or it refuses ("!rec").
        case cannotStartRecording = 561_145_187
        /// There is no source to record from ("!res").
        case resourceNotAvailable = 561_145_203
        /// Engines were running ("!act").
        case isBusy = 560_030_580
    }

    /// The kind of failure.
    public let code: Code
    /// The failure in a sentence: file and position, found and expected.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Apple's domain of such errors.
    public static var errorDomain: String { "com.apple.coreaudio.avfaudio" }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }
    /// The message under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
    /// The message.
    public var errorDescription: String? { message }
}

extension AVFAudioError {
    /// An error of a microphone.
    init(_ error: MicrophoneError) {
        self.init(
            error.code == .noSource ? .resourceNotAvailable : .cannotStartRecording, message: error.message)
    }

    /// An error of a file.
    init(_ error: AudioFileError) {
        let code: Code =
            switch error.code {
            case .missing: .fileNotFound
            case .unreadable: .filePermissions
            case .empty, .damaged, .noSamples, .notFinite, .tooLong: .invalidFile
            case .notAFile, .notAudio, .decoderMissing, .decoderFailed: .unsupportedFileType
            case .unsupportedSampleRate, .unsupportedChannelCount, .notOffered, .cannotEncode:
                .unsupportedFormat
            }
        self.init(code, message: error.description)
    }
}
