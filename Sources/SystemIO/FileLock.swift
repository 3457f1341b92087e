import Glibc

/// An exclusive lock on a file, between threads and processes, held until deinit.
///
/// The kernel releases it when the process ends, also when it is killed.
package final class FileLock: Sendable {
    package enum Failure: Error, CustomStringConvertible {
        case cannotOpen(Int32)
        /// `EWOULDBLOCK` when another owner holds the lock.
        case cannotLock(Int32)

        package var description: String {
            switch self {
            case .cannotOpen(let code), .cannotLock(let code): String(cString: strerror(code))
            }
        }
    }

    package let descriptor: Int32

    /// Opens and locks a file.
    ///
    /// - Parameters:
    ///   - flags: Those of `open`; without `O_CREAT` the file must exist.
    ///   - mode: The permissions of a created file, less the umask.
    ///   - longestWait: How many seconds to wait for another owner. Anyone who can read the file may be one, so infinity is
    ///     only for a file that no one else can open.
    ///   - willWait: Called once before a wait.
    package init(
        _ path: String, flags: Int32 = O_RDWR | O_CREAT, mode: mode_t = 0o644, longestWait: Double = 0,
        willWait: () -> Void = {}
    ) throws(Failure) {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .cannotOpen(errno) }
        let code = Self.lock(descriptor, longestWait: longestWait, willWait: willWait)
        guard code == 0 else {
            close(descriptor)
            throw .cannotLock(code)
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child process that another thread just starts has a copy of the descriptor, which keeps the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Locks an open file until it is closed; gives 0 or the system's error number.
    static func lock(_ descriptor: Int32, longestWait: Double = 0, willWait: () -> Void = {}) -> Int32 {
        func attempt(_ operation: Int32) -> Int32 {
            while flock(descriptor, operation) != 0 { if errno != EINTR { return errno } }
            return 0
        }
        let code = attempt(LOCK_EX | LOCK_NB)
        guard code == EWOULDBLOCK, longestWait > 0 else { return code }
        willWait()
        guard longestWait.isFinite else { return attempt(LOCK_EX) }
        let end = ContinuousClock.now + .seconds(longestWait)
        while ContinuousClock.now < end {
            let code = attempt(LOCK_EX | LOCK_NB)
            guard code == EWOULDBLOCK else { return code }
            usleep(20_000)
        }
        return EWOULDBLOCK
    }

    /// The process that holds a lock on the open file, as "process 77 (name)"; nil if the system does not tell.
    package static func holder(of descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            let table = try? LineReader(path: "/proc/locks", longestLine: 4096)
        else { return nil }
        while let line = try? table.nextLine() {
            // 1: FLOCK  ADVISORY  WRITE 77 fe:00:1835018 0 EOF
            let fields = (line.bytes ?? []).split(separator: 32).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count > 5, fields[1] == "FLOCK", let process = pid_t(fields[4]),
                fields[5].split(separator: ":").last == "\(status.st_ino)"
            else { continue }
            let name = (try? LineReader(path: "/proc/\(process)/comm", longestLine: 64).nextLine())??.bytes
            return "process \(process)" + (name.map { " (\(VisibleText.quoted($0)))" } ?? "")
        }
        return nil
    }
}
