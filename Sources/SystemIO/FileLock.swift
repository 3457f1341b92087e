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
    ///   - waits: Whether to wait for another owner.
    ///   - willWait: Called once before a wait.
    package init(
        _ path: String, flags: Int32 = O_RDWR | O_CREAT, mode: mode_t = 0o644, waits: Bool,
        willWait: () -> Void = {}
    ) throws(Failure) {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .cannotOpen(errno) }
        let code = Self.lock(descriptor, waits: waits, willWait: willWait)
        guard code == 0 else {
            close(descriptor)
            throw .cannotLock(code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Locks an open file until it is closed; gives 0 or the system's error number.
    static func lock(_ descriptor: Int32, waits: Bool, willWait: () -> Void = {}) -> Int32 {
        var operation = LOCK_EX | LOCK_NB
        while flock(descriptor, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK where waits && operation != LOCK_EX:
                willWait()
                operation = LOCK_EX
            case let code: return code
            }
        }
        return 0
    }
}
