/// A mistake in a file that a person wrote, with the place where it is.
public struct ConfigurationError: Error, CustomStringConvertible, Sendable {
    /// The path of the file, or the name the text was given.
    public var file: String
    /// The line, counted from 1; nil when the file as a whole is meant.
    public var line: Int?
    /// What was found and what was expected.
    public var message: String

    /// Makes an error.
    public init(file: String, line: Int?, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `file:line: message`, as compilers print it.
    public var description: String {
        if let line { "\(file):\(line): \(message)" } else { "\(file): \(message)" }
    }
}
