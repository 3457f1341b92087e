import Foundation
import Glibc
import TestSupport

/// A program in a terminal, which a test reads and types at as a user does.
final class PseudoTerminal {
    /// What the program has printed, with its control sequences, and with line feeds as ends of lines.
    var text: String { String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n") }
    private var bytes: [UInt8] = []
    private let control: Int32
    private let process = Process()

    init(
        _ command: [String], in folder: String, columns: UInt16 = 80, environment: [String: String] = [:]
    ) throws {
        var (outer, inner) = (Int32(-1), Int32(-1))
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&outer, &inner, nil, nil, &size) == 0 else {
            throw Failure(description: "no pseudo-terminal: \(String(cString: strerror(errno)))")
        }
        control = outer
        // Other children must not keep the terminal open.
        for end in [outer, inner] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let terminal = FileHandle(fileDescriptor: inner, closeOnDealloc: true)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        // A shell lets what it starts in the background ignore Ctrl-C, so these tests too.
        process.arguments = ["--ctty", "--wait", "env", "--default-signal=INT"] + command
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = EarshotProcess.environment.merging(["TERM": "xterm", "NO_COLOR": ""]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        try process.run()
        // The output ends when the program has closed its end, if there is no other.
        try terminal.close()
    }

    deinit {
        // The program gets a hang-up.
        close(control)
    }

    func type(_ keys: String) {
        // The terminal takes a line at once.
        _ = Array(keys.utf8).withUnsafeBytes { write(control, $0.baseAddress, $0.count) }
    }

    /// Reads until ``text`` is enough.
    ///
    /// - Throws: ``Failure`` when the program ends before, or prints nothing for a minute.
    func wait(until isEnough: (String) -> Bool) throws {
        while !isEnough(text) {
            guard try readMore() else {
                throw Failure(description: "the program ended after \(text.debugDescription)")
            }
        }
    }

    /// Reads until the program ends, and returns its exit code.
    func finish() throws -> Int32 {
        while try readMore() {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// False at the end of the output.
    private func readMore() throws -> Bool {
        var poll = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 60_000) > 0 else {
            throw Failure(description: "nothing was printed for a minute after \(text.debugDescription)")
        }
        var block = [UInt8](repeating: 0, count: 4096)
        let count = read(control, &block, block.count)
        guard count > 0 else { return false }
        bytes += block[..<count]
        return true
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}
