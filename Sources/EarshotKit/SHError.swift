import Foundation

/// The domain of `SHError` when it is bridged to `NSError`.
public let SHErrorDomain = "com.apple.ShazamKit"

/// What went wrong, by Apple's codes.
public struct SHError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// The kinds of failure.
    public enum Code: Int, Hashable, Sendable {
        /// The audio's format cannot be used.
        case invalidAudioFormat = 100
        /// Audio was not contiguous.
        case audioDiscontinuity = 101
        /// No signature could be made of the audio (silence), or bytes are no signature.
        case signatureInvalid = 200
        /// A query is shorter or longer than the catalog takes.
        case signatureDurationInvalid = 201
        /// An attempt to match failed; another one may not.
        case matchAttemptFailed = 202
        /// Bytes are no catalog.
        case customCatalogInvalid = 300
        /// A URL is not of a file, or holds no catalog.
        case customCatalogInvalidURL = 301
        /// The library could not be read or changed.
        case mediaLibrarySyncFailed = 400
        /// Something else went wrong.
        case internalError = 500
        /// A media item could not be fetched.
        case mediaItemFetchFailed = 600
    }

    /// The kind of failure.
    public let code: Code
    /// The failure in a sentence: with file and position, actual and allowed values, where there are any.
    public let message: String

    /// Makes an error; `message` says more than the code does.
    public init(_ code: Code, message: String? = nil) {
        self.code = code
        self.message = message ?? code.meaning
    }

    /// `SHErrorDomain`.
    public static var errorDomain: String { SHErrorDomain }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }
    /// The message under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
    /// The message.
    public var errorDescription: String? { message }
}

extension SHError.Code {
    /// Whether an error has a code: what `catch SHError.signatureInvalid` asks.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? SHError)?.code == code }

    /// What the code means, in a sentence.
    var meaning: String {
        switch self {
        case .invalidAudioFormat: "the audio's format cannot be used"
        case .audioDiscontinuity: "the audio is not contiguous"
        case .signatureInvalid: "no signature can be made of the audio"
        case .signatureDurationInvalid: "the query is shorter or longer than the catalog takes"
        case .matchAttemptFailed: "the attempt to match failed"
        case .customCatalogInvalid: "the catalog has a bad structure"
        case .customCatalogInvalidURL: "the URL is not of a file that holds a catalog"
        case .mediaLibrarySyncFailed: "the library could not be read or changed"
        case .internalError: "something went wrong"
        case .mediaItemFetchFailed: "the media item could not be fetched"
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
