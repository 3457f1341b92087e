import Glibc

/// An exclusive lock on a catalog file, held until deinit; the kernel releases it when the process dies.
///
/// The lock is on the file itself. An update replaces the file, so a process that waited for the lock checks that the
/// path still names the locked file, or else locks again.
final class CatalogLock {
    /// The file, open for reading.
    let descriptor: Int32
    private let path: String

    /// Locks the file at `path`; calls `willWait` before it waits for another process.
    ///
    /// - Throws: `FingerprintingError.unreadableFile` when the file cannot be opened or locked.
    init(_ path: String, willWait: () -> Void) throws {
        self.path = path
        while true {
            // Opening a pipe without a writer must not wait.
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw Self.failure(path, "be opened") }
            guard Self.lock(descriptor, willWait: willWait) else {
                let error = Self.failure(path, "be locked")
                close(descriptor)
                throw error
            }
            if Self.isSame(descriptor, path) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit { close(descriptor) }

    /// Throws unless the path still names the locked file.
    func expectSameFile() throws {
        guard Self.isSame(descriptor, path) else {
            throw FingerprintingError(
                .unreadableFile, "\(path): was replaced during the update; nothing was written")
        }
    }

    private static func lock(_ descriptor: Int32, willWait: () -> Void) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { return false }
        willWait()
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var locked = stat()
        var named = stat()
        return fstat(descriptor, &locked) == 0 && stat(path, &named) == 0
            && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
    }

    private static func failure(_ path: String, _ action: String) -> FingerprintingError {
        FingerprintingError(
            .unreadableFile, "\(path): cannot \(action): \(String(cString: strerror(errno)))")
    }
}
