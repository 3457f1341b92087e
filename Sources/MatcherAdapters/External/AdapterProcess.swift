import AudioCore
import Foundation
@preconcurrency import Glibc
import Matchers
import SystemIO

/// A running adapter: its processes, pipes and folder, all of which end with deinit.
///
/// The adapter leads its own process group. A shell waits on a pipe that only this process holds open. If this
/// process ends without ending the adapter, even by a kill, the shell ends it and removes the folder.
final class AdapterProcess {
    let folder: AdapterFolder
    let tree: ProcessTree
    private let limits: ExternalLimits
    private let pipes: (requests: NamedPipe, answers: NamedPipe, complaints: NamedPipe, guardian: NamedPipe)
    private let guardian: pid_t?
    private let closed = ClosedProcess()
    /// Standard output after the last line that was read.
    private var unread: [UInt8] = []
    private var complaint: [UInt8] = []
    private var complaintIsOpen = true
    private var nextLook = ContinuousClock.now
    private(set) var peakBytes = 0
    /// The status as `waitpid` gives it, once the process has ended and was waited for.
    private var status: Int32?

    /// Starts the program `words[0]` in a new temporary folder.
    ///
    /// - Parameter variables: The names of more variables that it gets.
    init(words: [String], variables: [String] = [], limits: ExternalLimits) throws {
        self.limits = limits
        let folder = try AdapterFolder()
        self.folder = folder
        func pipe(_ name: String, isWritten: Bool) throws -> NamedPipe {
            try NamedPipe(path: "\(folder.path)/\(name)", isWritten: isWritten)
        }
        pipes = (
            try pipe("requests", isWritten: true), try pipe("answers", isWritten: false),
            try pipe("complaints", isWritten: false), try pipe("guardian", isWritten: true)
        )
        let inherited = ExternalCommand.usualVariables + variables
        let mark = ProcessTree.Mark()
        // The shell marks itself, changes the folder, and then becomes the program.
        let child: pid_t
        do {
            child = try ProcessStart.spawn(
                "/bin/sh", ["-c", "\(mark.command); cd \"$0\" && exec \"$@\"", folder.work] + words,
                streams: [
                    pipes.requests.stream(flags: O_RDONLY), pipes.answers.stream(flags: O_WRONLY),
                    pipes.complaints.stream(flags: O_WRONLY),
                ], environment: ["EARSHOT_WORK=\(folder.work)", "TMPDIR=\(folder.work)"],
                inheriting: inherited, leadsGroup: true)
        } catch {
            throw MachineError("/bin/sh cannot be started: \(error)")
        }
        tree = ProcessTree(leader: child, mark: mark)
        let quiet = ProcessStart.Stream.file("/dev/null", flags: O_WRONLY)
        guardian = try? ProcessStart.spawn(
            "/bin/sh", ["-c", Self.guardianScript, "guardian", String(child), mark.pattern, folder.path],
            streams: [pipes.guardian.stream(flags: O_RDONLY), quiet, quiet],
            inheriting: ExternalCommand.usualVariables, leadsGroup: true)
        for pipe in [pipes.requests, pipes.answers, pipes.complaints, pipes.guardian] { unlink(pipe.path) }
    }

    deinit { end() }

    /// `read` returns when no process holds the other end.
    private static let guardianScript = """
        read -r line
        kill -KILL -- "-$1"
        for file in $(grep -lsE -e "$2" /proc/[0-9]*/limits); do
            file=${file#/proc/}
            kill -KILL "${file%/limits}"
        done
        rm -rf -- "$3"
        """

    /// The end of standard error, for a message; empty when there is none.
    var lastWords: String {
        readComplaints()
        let lines = VisibleText.lastLines(complaint)
        return lines.isEmpty ? "" : "; standard error ends: \(lines)"
    }

    /// Sends a line and waits for the answer.
    ///
    /// - Parameter lineBytes: How long the line may be; nil for the usual limit.
    /// - Throws: ``ExternalMatcherError``, fatal if answers can no longer be told apart.
    func ask(
        _ request: [UInt8], within seconds: Double, for what: String, lineBytes: Int? = nil
    ) throws -> [UInt8] {
        let lineBytes = lineBytes ?? limits.lineBytes
        _ = readAnswers()
        if !unread.isEmpty {
            throw fatal("wrote to standard output without being asked: '\(VisibleText.quoted(unread))'")
        }
        guard pipes.requests.writeLine(request) else { throw fatal("does not read its standard input") }
        let deadline = RunningClock.seconds + seconds
        var searched = 0
        while true {
            let isOpen = readAnswers(upTo: lineBytes)
            if let end = unread[searched...].firstIndex(of: 10) {
                let line = Array(unread[..<end])
                unread.removeFirst(end + 1)
                return line
            }
            searched = unread.count
            if searched > lineBytes {
                throw fatal(
                    "answered \(what) with more than \(lineBytes) bytes in one line; it begins '"
                        + VisibleText.quoted(unread, limit: 80) + "'")
            }
            if !isOpen {
                // A process that ends closes its files a moment before its end can be seen.
                awaitExit(until: .now + .milliseconds(500))
                throw fatal("closed its standard output while \(what) was awaited")
            }
            if RunningClock.seconds >= deadline {
                throw fatal("gave no answer to \(what) within \(seconds) s")
            }
            try look()
            wait(atMost: min(deadline - RunningClock.seconds, (nextLook - .now) / .seconds(1)))
        }
    }

    private func look() throws {
        guard ContinuousClock.now >= nextLook else { return }
        nextLook = .now + .milliseconds(200)
        let bytes = tree.residentBytes
        peakBytes = max(peakBytes, bytes)
        if bytes > limits.memoryBytes {
            throw fatal("holds \(bytes >> 20) MiB of memory; \(limits.memoryBytes >> 20) MiB are allowed")
        }
        if hasExited, readAnswers(), !unread.contains(10) { throw fatal("ended, and left a child behind") }
    }

    func notePeak() { peakBytes = max(peakBytes, tree.peakBytes) }

    /// Ends it: closes its input, waits a moment, kills what remains, and gives the end in words.
    @discardableResult
    func end() -> String {
        if let status { return Self.words(status) }
        pipes.requests.close()
        awaitExit(until: .now + .seconds(limits.exitSeconds))
        return kill()
    }

    private func awaitExit(until deadline: ContinuousClock.Instant) {
        while !hasExited, ContinuousClock.now < deadline {
            _ = readAnswers(keep: false)
            readComplaints()
            usleep(2000)
        }
    }

    @discardableResult
    func kill() -> String {
        if let status { return Self.words(status) }
        let exited = hasExited
        tree.kill()
        readComplaints()
        let status = ProcessStart.wait(for: tree.leader)
        self.status = status
        if let guardian {
            Glibc.kill(guardian, SIGKILL)
            _ = ProcessStart.wait(for: guardian)
        }
        return exited ? Self.words(status) : "it was killed"
    }

    private func fatal(_ message: String) -> ExternalMatcherError {
        ExternalMatcherError(message, isFatal: true, isFromOutside: wasEndedFromOutside)
    }

    private static func words(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0
            ? "it exited with status \((status >> 8) & 0xFF)" : "it was ended by signal \(signal)"
    }

    /// Whether the program has ended.
    ///
    /// It is not reaped yet, so its number stays its own.
    var hasExited: Bool { ending != nil }

    /// Whether a signal ended it that no program gets by a fault of its own; the judge has not sent one yet.
    ///
    /// The system sends it when memory is short.
    private var wasEndedFromOutside: Bool {
        guard let ending, ending.si_code == CLD_KILLED else { return false }
        return [SIGKILL, SIGTERM].contains(ending._sifields._sigchld.si_status)
    }

    private var ending: siginfo_t? {
        var info = siginfo_t()
        let isKnown =
            waitid(P_PID, id_t(tree.leader), &info, WEXITED | WNOHANG | WNOWAIT) == 0
            && info.si_signo == SIGCHLD
        return isKnown ? info : nil
    }

    private func readAnswers(keep: Bool = true, upTo bytes: Int? = nil) -> Bool {
        // Bounded, so that endless output cannot keep this loop busy.
        for _ in 0..<64 where unread.count <= bytes ?? limits.lineBytes {
            switch pipes.answers.readAvailable() {
            case .bytes(let bytes): if keep { unread += bytes }
            case .nothingYet: return true
            case .closed: return false
            }
        }
        return true
    }

    private func readComplaints() {
        // Bounded, so that endless output cannot keep this loop busy.
        for _ in 0..<64 where complaintIsOpen {
            switch pipes.complaints.readAvailable() {
            case .bytes(let bytes):
                complaint += bytes
                complaint.removeFirst(max(0, complaint.count - limits.complaintBytes))
            case .nothingYet: return
            case .closed: complaintIsOpen = false
            }
        }
    }

    private func wait(atMost seconds: Double) {
        var polled = [
            pollfd(fd: pipes.answers.descriptor, events: Int16(POLLIN), revents: 0),
            // poll ignores negative descriptors.
            pollfd(fd: complaintIsOpen ? pipes.complaints.descriptor : -1, events: Int16(POLLIN), revents: 0),
        ]
        poll(&polled, nfds_t(polled.count), Int32(bounded: min(max(seconds * 1000, 0).rounded(.up), 1000)))
        if polled[1].revents != 0 { readComplaints() }
    }
}
