package struct ConfigurationError: Error, CustomStringConvertible, Sendable {
    package var file: String
    /// The line, counted from 1; nil when the file as a whole is meant.
    package var line: Int?
    package var message: String

    package init(file: String, line: Int?, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `file:line: message`, as compilers print it.
    package var description: String {
        if let line { "\(file):\(line): \(message)" } else { "\(file): \(message)" }
    }
}
