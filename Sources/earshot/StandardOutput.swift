import Foundation

/// Where results go.
enum StandardOutput {
    /// Prints a line at once; a full disk or closed pipe is an error.
    static func print(_ text: String, terminator: String = "\n") throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + terminator).utf8))
        } catch {
            throw OutputError(description: "standard output: \(String(cString: strerror(errno)))")
        }
    }

    /// Results that could not be printed.
    struct OutputError: Error, CustomStringConvertible {
        let description: String
    }
}
