import Glibc
import SystemIO

/// An exclusive lock on a catalog file, held until deinit.
///
/// The lock is on the file itself. An update replaces the file, so a process that waited for the lock checks that the
/// path still names the locked file, or else locks again.
final class CatalogLock {
    private let lock: FileLock
    private let path: String

    var descriptor: Int32 { lock.descriptor }

    /// Locks the file at `path`; calls `willWait` before it waits for another process.
    ///
    /// - Parameter longestWait: In seconds. A wait is never endless, because each reader of the file can lock it.
    /// - Throws: `FingerprintingError.unreadableFile` when the file cannot be opened or locked.
    init(_ path: String, longestWait: Double, willWait: () -> Void) throws {
        self.path = path
        while true {
            do {
                // Opening a pipe without a writer must not wait.
                let lock = try FileLock(
                    path, flags: O_RDONLY | O_NONBLOCK, longestWait: longestWait, willWait: willWait)
                guard Self.isSame(lock.descriptor, path) else { continue }
                self.lock = lock
                return
            } catch .cannotOpen(let code) {
                throw FingerprintingError(
                    .unreadableFile, "\(path): cannot be opened: \(String(cString: strerror(code)))")
            } catch .cannotLock(EWOULDBLOCK) {
                let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                defer { close(descriptor) }
                let holder = FileLock.holder(of: descriptor) ?? "another process"
                throw FingerprintingError(
                    .unreadableFile,
                    "\(path): has been locked by \(holder) for \(Int(longestWait)) s; nothing was written")
            } catch {
                throw FingerprintingError(.unreadableFile, "\(path): cannot be locked: \(error)")
            }
        }
    }

    /// Throws unless the path still names the locked file.
    func expectSameFile() throws {
        guard Self.isSame(descriptor, path) else {
            throw FingerprintingError(
                .unreadableFile, "\(path): was replaced during the update; nothing was written")
        }
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var locked = stat()
        var named = stat()
        return fstat(descriptor, &locked) == 0 && stat(path, &named) == 0
            && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
    }
}
