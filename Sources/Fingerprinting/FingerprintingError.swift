/// What went wrong in the engine, in words for the user.
public struct FingerprintingError: Error, CustomStringConvertible, Sendable {
    /// The kinds of failure.
    public enum Code: Sendable {
        /// A sample is not a number or infinite.
        case nonFiniteSample
        /// The sample rate is beyond what can be analysed, or changed on the way.
        case unsupportedFormat
        /// The bytes of a file are not what its format demands.
        case malformedFile
        /// A file cannot be read.
        case unreadableFile
        /// Signatures were made with settings other than the catalog's.
        case incompatibleSignature
        /// Two references share one identifier, or an identifier is empty.
        case badIdentifier
        /// There was nothing to do.
        case nothingToDo
    }

    /// The kind of failure.
    public let code: Code
    /// The failure in a sentence, with file and position where there are any.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
