@preconcurrency import Glibc

/// A program that runs while its standard output is read block by block.
///
/// Not thread-safe. It is killed at deinit.
package final class RunningProcess {
    /// How it ended; nil while it runs.
    package private(set) var end: ChildProcess.End?

    private let child: pid_t
    private let output: Channel
    private let complaint: Channel
    private var polled: [pollfd]
    private var block = [UInt8](repeating: 0, count: 4096)

    /// Starts `program`, which is searched for in PATH unless it has a slash.
    ///
    /// - Parameters:
    ///   - input: What it reads as standard input; nil for nothing.
    /// - Throws: `ProcessStart.Failure` when it cannot be started.
    package init(
        _ program: String, _ arguments: [String], environment: [String] = [], limits: ProcessLimits? = nil,
        input: Int32? = nil
    ) throws(ProcessStart.Failure) {
        output = try Channel()
        complaint = try Channel()
        child = try ProcessStart.spawn(
            program, arguments,
            streams: [
                input.map { .descriptor($0) } ?? .file("/dev/null", flags: O_RDONLY),
                .descriptor(output.writing), .descriptor(complaint.writing),
            ], environment: environment, limits: limits)
        output.closeWriting()
        complaint.closeWriting()
        polled = [output.reading, complaint.reading].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    deinit { kill(as: .exceededOutput) }

    /// Kills it unless it has ended; ``end`` is then `reason`.
    package func kill(as reason: ChildProcess.End) {
        guard end == nil else { return }
        Glibc.kill(child, SIGKILL)
        _ = ProcessStart.wait(for: child)
        end = reason
    }

    /// Waits for output and puts it at the start of `target`; returns the number of bytes, 0 at the end.
    ///
    /// Kills the program at `deadline`. Passes standard error to `complain` as it comes, so that neither side waits for
    /// the other: what was written before the bytes is passed before they are returned.
    package func read(
        into target: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant,
        complain: (ArraySlice<UInt8>) -> Void
    ) -> Int {
        while end == nil, polled.contains(where: { $0.fd >= 0 }) {
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else {
                kill(as: .timedOut)
                return 0
            }
            guard poll(&polled, nfds_t(polled.count), Int32(min(left.rounded(.up), 1e6))) >= 0 else {
                if errno == EINTR { continue }
                kill(as: .timedOut)
                return 0
            }
            // Complaints first: they are about output that is read later.
            if polled[1].fd >= 0, polled[1].revents != 0 {
                let count = Glibc.read(polled[1].fd, &block, block.count)
                if count > 0 { complain(block[..<count]) } else if count == 0 || errno != EINTR { close(1) }
            }
            if polled[0].fd >= 0, polled[0].revents != 0 {
                let count = Glibc.read(polled[0].fd, target.baseAddress, target.count)
                if count > 0 {
                    while polled[1].fd >= 0 {
                        let more = recv(polled[1].fd, &block, block.count, Int32(MSG_DONTWAIT))
                        guard more > 0 else { break }
                        complain(block[..<more])
                    }
                    return count
                }
                if count == 0 || errno != EINTR { close(0) }
            }
        }
        if end == nil {
            let status = ProcessStart.wait(for: child)
            let signal = status & 0x7F
            end = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
        }
        return 0
    }

    /// Ends the polling of a channel: poll ignores negative descriptors.
    private func close(_ index: Int) { polled[index].fd = -1 }
}

/// The two ends of a channel between processes.
///
/// It is a pair of sockets, which never leak into other children. A pipe would leak into a child that another thread
/// starts before the pipe is marked.
private final class Channel {
    let reading: Int32
    private(set) var writing: Int32

    init() throws(ProcessStart.Failure) {
        (reading, writing) = try ProcessStart.socketPair(SOCK_STREAM)
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
