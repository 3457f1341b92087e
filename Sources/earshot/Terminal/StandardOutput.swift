import ArgumentParser
import Foundation
import SystemIO

/// Where results go.
enum StandardOutput {
    /// Whether someone reads it at once.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// The width of the terminal in characters; nil elsewhere.
    static let columns: Int? = isTerminal ? terminalColumns(STDOUT_FILENO) : nil

    /// Prints a line at once; a full disk or closed pipe is an error.
    static func print(_ text: String) throws { try write(text + "\n") }

    /// Prints text as it is.
    static func write(_ text: String) throws {
        do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
            throw CommandError(description: "standard output: \(String(cString: strerror(errno)))")
        }
    }

    /// The name of standard output where a path is expected.
    static let path = "-"

    /// Writes a text to the file at `path`, or prints it where that is ``path``.
    static func write(_ text: @autoclosure () throws -> String, to path: String?) throws {
        guard let path else { return }
        if path == Self.path { try write(text()) } else { try AtomicFile.write(text(), to: path) }
    }
}

extension ArgumentHelp {
    /// The help of an option that names a file to write.
    ///
    /// Elsewhere a flag of the same name prints.
    static func writes(_ what: String) -> ArgumentHelp {
        ArgumentHelp("Write \(what) to this file; - prints it alone.", valueName: "file")
    }
}

/// An error in the words of the command line.
struct CommandError: Error, CustomStringConvertible {
    let description: String
}

/// Where warnings and progress go: standard error, so that standard output holds results only.
enum StandardError {
    /// Prints a line, in which names and messages of others cannot steer the terminal.
    static func print(_ text: String) { write(VisibleText.message(text) + "\n") }

    /// Whether programs read the warnings: each is a line of JSON then.
    private static let isForPrograms = ProcessInfo.processInfo.environment["EARSHOT_WARNINGS"] == "json"

    static func warn(_ text: String) {
        let line = isForPrograms ? try? ["warning": text].jsonLine() : nil
        print(line ?? "warning: " + text)
    }

    /// Prints text as it is; where that fails there is nowhere left to say so.
    static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Whether someone is watching.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal in characters now.
    static var columns: Int { terminalColumns(STDERR_FILENO) }
}

/// The width of a terminal in characters, 80 if it is unknown.
private func terminalColumns(_ stream: Int32) -> Int {
    var size = winsize()
    let isKnown = ioctl(stream, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
}
