import AudioIO

/// An error of audio files, conversions, engines or sessions, with Core Audio's codes.
public struct AVFAudioError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The kinds of error, as `OSStatus` values.
    public enum Code: Int, Hashable, Sendable {
        /// The file does not exist ("fnf").
        case fileNotFound = -43
        /// No frame is left in the file.
        case endOfFile = -39
        /// No permission to read or write the file ("prm?").
        case filePermissions = 1_886_547_263
        /// The file is damaged or has no samples ("dta?").
        case invalidFile = 1_685_348_671
        /// The file is not a supported audio file ("typ?").
        case unsupportedFileType = 1_954_115_647
        /// The format is not supported here ("fmt?").
        case unsupportedFormat = 1_718_449_215
        /// A buffer has the wrong size ("insz").
        case invalidInputSize = 1_768_846_202
        /// The sound server is unreachable or refuses ("!rec").
        case cannotStartRecording = 561_145_187
        /// The sound server has no source ("!res").
        case resourceNotAvailable = 561_145_203
        /// The sound server is unreachable or refuses to play ("!pla").
        case cannotStartPlaying = 561_015_905
        /// Engines were running ("!act").
        case isBusy = 560_030_580
        /// More frames were asked for than manual rendering was prepared for.
        case tooManyFrames = -10_874
        /// The engine does not render by hand.
        case invalidRenderingMode = -80_800
        /// The engine is running.
        case isRunning = -80_801
        /// The engine is not running.
        case notRunning = -80_802
    }

    /// The kind of error.
    public let code: Code
    /// The error as a sentence: file, position, found and expected values.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Apple's error domain.
    public static var errorDomain: String { "com.apple.coreaudio.avfaudio" }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }
    /// The message under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
    /// The message.
    public var errorDescription: String? { message }
}

extension AVFAudioError {
    init(_ error: MicrophoneError) {
        self.init(
            error.code == .noSource ? .resourceNotAvailable : .cannotStartRecording, message: error.message)
    }

    init(_ error: AudioFileError) {
        let code: Code =
            switch error.code {
            case .missing, .notUTF8: .fileNotFound
            case .unreadable: .filePermissions
            case .empty, .decoderEnded, .damaged, .noSamples, .notFinite, .tooLong: .invalidFile
            case .notAFile, .notAudio, .decoderMissing, .decoderFailed: .unsupportedFileType
            case .unsupportedSampleRate, .unsupportedChannelCount, .missingTrack, .notOffered, .cannotEncode:
                .unsupportedFormat
            }
        self.init(code, message: error.description)
    }

    /// Runs `body` and converts its errors of audio files.
    static func mapping<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as AudioFileError { throw AVFAudioError(error) }
    }
}
