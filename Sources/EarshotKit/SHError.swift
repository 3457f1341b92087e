import AudioIO
import Fingerprinting

/// The domain of `SHError` as `NSError`.
public let SHErrorDomain = "com.apple.ShazamKit"

/// An error with Apple's codes.
public struct SHError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The kinds of error.
    public enum Code: Int, Hashable, Sendable {
        /// The audio format is not supported.
        case invalidAudioFormat = 100
        /// The audio has a gap or overlap.
        case audioDiscontinuity = 101
        /// The audio has no signature (silence), or the bytes are no signature.
        case signatureInvalid = 200
        /// The catalog does not accept the query's length.
        case signatureDurationInvalid = 201
        /// The match failed. A later attempt may succeed.
        case matchAttemptFailed = 202
        /// The bytes are no catalog.
        case customCatalogInvalid = 300
        /// The URL is not a file's, or the file cannot be read.
        case customCatalogInvalidURL = 301
        /// The library cannot be read or changed.
        case mediaLibrarySyncFailed = 400
        /// Any other error.
        case internalError = 500
        /// A media item cannot be fetched.
        case mediaItemFetchFailed = 600
    }

    /// The kind of error.
    public let code: Code
    /// The error as a sentence: file, position, found and expected values.
    public let message: String
    private let details: ErrorDetails?

    /// Makes an error; the default message describes the code.
    public init(_ code: Code, message: String? = nil) {
        self.code = code
        self.message = message ?? code.meaning
        details = nil
    }

    /// Makes an error with details; its message is the text under `NSLocalizedDescriptionKey`, if there is one.
    public init(_ code: Code, userInfo: [String: Any]) {
        self.code = code
        message = userInfo[NSLocalizedDescriptionKey] as? String ?? code.meaning
        details = ErrorDetails(userInfo)
    }

    /// `SHErrorDomain`.
    public static var errorDomain: String { SHErrorDomain }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }
    /// The details with which the error was made, and the message under `NSLocalizedDescriptionKey`.
    public var userInfo: [String: Any] {
        (details?.values ?? [:]).merging([NSLocalizedDescriptionKey: message]) { _, message in message }
    }
    /// The same as ``userInfo``.
    public var errorUserInfo: [String: Any] { userInfo }
    /// The message.
    public var errorDescription: String? { message }
}

/// The details of an error.
///
/// Sendable: immutable, as those of an `NSError`.
private final class ErrorDetails: Hashable, @unchecked Sendable {
    let values: [String: Any]

    init(_ values: [String: Any]) { self.values = values }

    static func == (a: ErrorDetails, b: ErrorDetails) -> Bool {
        a === b || NSDictionary(dictionary: a.values).isEqual(to: b.values)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(values.count) }
}

extension SHError.Code {
    /// Whether an error has a code, for `catch SHError.signatureInvalid`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? SHError)?.code == code }

    var meaning: String {
        switch self {
        case .invalidAudioFormat: "the audio format is not supported"
        case .audioDiscontinuity: "the audio has a gap or overlap"
        case .signatureInvalid: "no signature can be made of the audio"
        case .signatureDurationInvalid: "the catalog does not accept the query's length"
        case .matchAttemptFailed: "the match failed"
        case .customCatalogInvalid: "the bytes are no catalog"
        case .customCatalogInvalidURL: "the URL is not a catalog file"
        case .mediaLibrarySyncFailed: "the library cannot be read or changed"
        case .internalError: "internal error"
        case .mediaItemFetchFailed: "the media item cannot be fetched"
        }
    }
}

extension SHError {
    /// The code 100.
    public static var invalidAudioFormat: Code { .invalidAudioFormat }
    /// The code 101.
    public static var audioDiscontinuity: Code { .audioDiscontinuity }
    /// The code 200.
    public static var signatureInvalid: Code { .signatureInvalid }
    /// The code 201.
    public static var signatureDurationInvalid: Code { .signatureDurationInvalid }
    /// The code 202.
    public static var matchAttemptFailed: Code { .matchAttemptFailed }
    /// The code 300.
    public static var customCatalogInvalid: Code { .customCatalogInvalid }
    /// The code 301.
    public static var customCatalogInvalidURL: Code { .customCatalogInvalidURL }
    /// The code 400.
    public static var mediaLibrarySyncFailed: Code { .mediaLibrarySyncFailed }
    /// The code 500.
    public static var internalError: Code { .internalError }
    /// The code 600.
    public static var mediaItemFetchFailed: Code { .mediaItemFetchFailed }
}

extension SHError {
    /// Wraps an error of the engine or a file; keeps an `SHError` as it is.
    package init(_ code: Code, because error: any Error) {
        self = error as? SHError ?? SHError(code, message: "\(error)")
    }

    /// Runs `body` and converts its errors to `code`.
    static func mapping<R>(to code: Code, _ body: () throws -> R) throws(SHError) -> R {
        do { return try body() } catch { throw SHError(code, because: error) }
    }
}
