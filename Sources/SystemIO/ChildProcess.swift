@preconcurrency import Glibc

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

    /// Runs `program`, which is searched for in PATH unless it has a slash.
    ///
    /// Both pipes are drained as they fill, so neither side waits for the other.
    /// - Throws: `ProcessStart.Failure` when it cannot be started.
    package static func run(
        _ program: String, _ arguments: [String], timeoutSeconds: Double, maximumOutputBytes: Int
    ) throws(ProcessStart.Failure) -> ChildProcess {
        let (output, complaint) = (try Channel(), try Channel())
        let child = try ProcessStart.spawn(
            program, arguments,
            streams: [
                .file("/dev/null", flags: O_RDONLY), .descriptor(output.writing),
                .descriptor(complaint.writing),
            ])
        output.closeWriting()
        complaint.closeWriting()
        var collected = Collected(maximumOutputBytes: maximumOutputBytes)
        let forced = collected.drain(
            output: output.reading, complaint: complaint.reading, seconds: timeoutSeconds)
        if forced != nil { kill(child, SIGKILL) }
        let status = ProcessStart.wait(for: child)
        let signal = status & 0x7F
        return ChildProcess(
            end: forced ?? (signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)),
            output: collected.output, complaint: String(decoding: collected.complaint, as: UTF8.self))
    }
}

/// The two ends of a channel between processes.
///
/// It is a pair of sockets, which never leak into other children. A pipe would leak into a child that another thread
/// starts before the pipe is marked.
private final class Channel {
    let reading: Int32
    private(set) var writing: Int32

    init() throws(ProcessStart.Failure) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw ProcessStart.Failure(code: errno) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeWriting()
        close(reading)
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }
}

private struct Collected {
    let maximumOutputBytes: Int
    var output: [UInt8] = []
    var complaint: [UInt8] = []
    private static let maximumComplaint = 65_536

    /// Reads both pipes to their ends, or returns why the child must be killed.
    mutating func drain(output outputEnd: Int32, complaint complaintEnd: Int32, seconds: Double)
        -> ChildProcess.End?
    {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var polled = [
            pollfd(fd: outputEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: complaintEnd, events: Int16(POLLIN), revents: 0),
        ]
        var block = [UInt8](repeating: 0, count: 65_536)
        while polled.contains(where: { $0.fd >= 0 }) {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { return .timedOut }
            guard poll(&polled, nfds_t(polled.count), Int32(min(left.rounded(.up), 1e6))) >= 0 else {
                if errno == EINTR { continue }
                return .timedOut
            }
            for index in polled.indices where polled[index].fd >= 0 && polled[index].revents != 0 {
                let count = read(polled[index].fd, &block, block.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // poll ignores negative descriptors.
                    polled[index].fd = -1
                    continue
                }
                if index == 0 {
                    output += block[..<count]
                    if output.count > maximumOutputBytes { return .exceededOutput }
                } else {
                    complaint += block[..<count]
                    complaint.removeFirst(max(0, complaint.count - Self.maximumComplaint))
                }
            }
        }
        return nil
    }
}
