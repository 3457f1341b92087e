import Glibc

/// Runs a program to its end, and collects both outputs.
package struct ChildProcess {
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        case timedOut
        case exceededOutput
    }

    package let end: End
    package let output: [UInt8]
    /// Standard error, at most the last 64 KiB.
    package let complaint: String

    private static let maximumComplaint = 65_536

    /// Runs `program`, which is searched for in PATH unless it has a slash.
    ///
    /// - Parameters:
    ///   - environment: Additions and replacements, as `NAME=value`.
    ///   - input: What it reads as standard input.
    /// - Throws: `ProcessStart.Failure` when it cannot be started.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String] = [], input: [UInt8] = [],
        timeoutSeconds: Double, maximumOutputBytes: Int, limits: ProcessLimits? = nil
    ) throws(ProcessStart.Failure) -> ChildProcess {
        let file = input.isEmpty ? nil : try ProcessStart.file(with: input)
        defer { if let file { close(file) } }
        if let file { lseek(file, 0, SEEK_SET) }
        let process = try RunningProcess(
            program, arguments, environment: environment, limits: limits, input: file)
        let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
        var output: [UInt8] = []
        var complaint: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = block.withUnsafeMutableBytes { block in
                process.read(into: block, until: deadline) { piece in
                    complaint += piece
                    complaint.removeFirst(max(0, complaint.count - maximumComplaint))
                }
            }
            guard count > 0 else { break }
            output += block[..<count]
            if output.count > maximumOutputBytes { process.kill(as: .exceededOutput) }
        }
        return ChildProcess(
            end: process.end ?? .timedOut, output: output,
            complaint: String(decoding: complaint, as: UTF8.self))
    }
}
