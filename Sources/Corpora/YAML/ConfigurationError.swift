/// A mistake in a recipe, a plan or rules.
public struct ConfigurationError: Error, CustomStringConvertible, Sendable {
    /// The path of the file.
    public var file: String
    /// The line, counted from 1; nil when the file as a whole is meant.
    public var line: Int?
    /// What is wrong and what was expected.
    public var message: String

    package init(file: String, line: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `file:line: message`, as compilers print it.
    public var description: String {
        if let line { "\(file):\(line): \(message)" } else { "\(file): \(message)" }
    }
}
