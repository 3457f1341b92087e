import Glibc
import Matchers
import SystemIO

/// One end of a pipe that another process opens by its name.
///
/// A pipe with a name does not leak into other children. Unlike a socket, a script can open it again as `/dev/stdin`
/// or `/dev/stderr`.
final class NamedPipe {
    let path: String
    private(set) var descriptor: Int32

    /// Makes the pipe and opens our end, which never blocks.
    ///
    /// The end for writing is open for reading too, so that a write to a dead process raises no signal.
    init(path: String, isWritten: Bool) throws {
        self.path = path
        descriptor = -1
        guard mkfifo(path, 0o600) == 0 else {
            throw MachineError(
                "\(path): the pipe cannot be made: \(String(cString: strerror(errno)))")
        }
        descriptor = open(path, (isWritten ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw MachineError(
                "\(path): the pipe cannot be opened: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close() }

    func stream(flags: Int32) -> ProcessStart.Stream { .file(path, flags: flags) }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    enum Reading {
        case bytes([UInt8])
        case nothingYet
        case closed
    }

    /// Reads the available bytes, at most 64 KiB.
    func readAvailable() -> Reading {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &block, block.count)
            if count > 0 { return .bytes(Array(block[..<count])) }
            if count == 0 { return .closed }
            if errno != EINTR { return errno == EAGAIN ? .nothingYet : .closed }
        }
    }

    /// Writes a line of at most 4 KiB whole; false when the pipe is full.
    func writeLine(_ line: [UInt8]) -> Bool {
        let bytes = line + [10]
        while true {
            let count = write(descriptor, bytes, bytes.count)
            if count == bytes.count { return true }
            if count >= 0 || errno != EINTR { return false }
        }
    }
}
