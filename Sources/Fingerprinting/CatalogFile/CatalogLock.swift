import Glibc
import SystemIO

/// An exclusive lock on a catalog file, held until deinit.
///
/// The lock is on the file itself. An update replaces the file, so a process that waited for the lock checks that the
/// path still names the locked file, or else locks again.
final class CatalogLock {
    private let lock: FileLock
    private let path: String

    /// Locks the file at `path`; calls `willWait` before it waits for another process.
    ///
    /// - Parameter longestWait: In seconds. A wait is never endless, because each reader of the file can lock it.
    /// - Throws: `FingerprintingError.unreadableFile` when the file cannot be opened or locked.
    init(_ path: String, longestWait: Double, willWait: () -> Void = {}) throws {
        self.path = path
        let end = ContinuousClock.now + .seconds(longestWait)
        while true {
            let lock = try Self.lock(path, longestWait: longestWait, willWait: willWait)
            if try Self.isSame(lock.descriptor, path) {
                self.lock = lock
                return
            }
            guard ContinuousClock.now < end else {
                throw Self.error(path, "has been replaced again and again for \(Int(longestWait)) s")
            }
        }
    }

    private static func lock(_ path: String, longestWait: Double, willWait: () -> Void) throws -> FileLock {
        // Opening a pipe without a writer must not wait.
        let flags = O_RDONLY | O_NONBLOCK
        do throws(FileLock.Failure) {
            return try FileLock(path, flags: flags, longestWait: longestWait, willWait: willWait)
        } catch .cannotOpen(let code) {
            throw error(path, "cannot be opened: \(String(cString: strerror(code)))")
        } catch .cannotLock(EWOULDBLOCK) {
            let descriptor = open(path, flags | O_CLOEXEC)
            defer { close(descriptor) }
            let holder = FileLock.holder(of: descriptor) ?? "another process"
            throw error(
                path, "has been locked by \(holder) for \(Int(longestWait)) s; nothing was written")
        } catch {
            throw self.error(path, "cannot be locked: \(error)")
        }
    }

    /// Throws unless the path still names the locked file.
    func expectSameFile() throws {
        guard try Self.isSame(lock.descriptor, path) else {
            throw Self.error(path, "was replaced during the update; nothing was written")
        }
    }

    private static func isSame(_ descriptor: Int32, _ path: String) throws -> Bool {
        var locked = stat()
        var named = stat()
        guard fstat(descriptor, &locked) == 0, stat(path, &named) == 0 else {
            throw error(path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        return locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
    }

    private static func error(_ path: String, _ problem: String) -> FingerprintingError {
        FingerprintingError(.unreadableFile, "\(path): \(problem)")
    }
}
