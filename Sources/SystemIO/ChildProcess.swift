/// Runs a program to its end with empty input, and collects both outputs.
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
    /// - Parameter environment: Additions and replacements, as `NAME=value`.
    /// - Throws: `ProcessStart.Failure` when it cannot be started.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String] = [], timeoutSeconds: Double,
        maximumOutputBytes: Int, limits: ProcessLimits? = nil
    ) throws(ProcessStart.Failure) -> ChildProcess {
        let process = try RunningProcess(
            program, arguments, environment: environment, limits: limits)
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
