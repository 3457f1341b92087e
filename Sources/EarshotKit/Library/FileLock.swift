import Foundation

/// Keeps other processes, and other threads, from doing something at the same time; ends with the process at the latest.
enum FileLock {
    /// Runs `body` while no one else holds the lock of the file at `path`.
    ///
    /// - Throws: `SHError.mediaLibrarySyncFailed` naming the file, when it cannot be made; or what `body` throws.
    static func holding<T>(_ path: String, _ body: () throws -> T) throws -> T {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "opened") }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(path, "locked") }
        }
        return try body()
    }

    private static func failure(_ path: String, _ action: String) -> SHError {
        SHError(
            .mediaLibrarySyncFailed,
            message: "\(path): cannot be \(action): \(String(cString: strerror(errno)))")
    }
}
