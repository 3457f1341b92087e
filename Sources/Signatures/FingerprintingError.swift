/// An error of the engine, described for the user.
public struct FingerprintingError: Error, CustomStringConvertible, Sendable {
    /// The kinds of failure.
    public enum Code: Sendable {
        /// A sample is infinite or not a number.
        case nonFiniteSample
        /// The engine cannot analyse the sample rate, or rate or channels changed within the audio.
        case unsupportedFormat
        /// The bytes of a file do not follow its format.
        case malformedFile
        /// A file cannot be read.
        case unreadableFile
        /// A signature was made with settings other than the catalog's.
        case incompatibleSignature
        /// Two references share one identifier, or an identifier is empty or unknown.
        case badIdentifier
        /// There was nothing to do.
        case nothingToDo
    }

    /// What the user can do, for a program that has its own words for it.
    package enum Remedy: Hashable, Sendable {
        case remakeCatalog
        case replaceReference
        case useLaterRelease
        case useRelativePaths
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, in a sentence, with file and position where there are any.
    public let description: String
    /// A way out, where a program has a command or an option for it.
    package let remedy: Remedy?

    package init(_ code: Code, _ description: String, remedy: Remedy? = nil) {
        self.code = code
        self.description = description
        self.remedy = remedy
    }
}
