/// An exclusive lock between processes and threads, released at the latest when the process exits.
enum FileLock {
    /// Runs `body` while holding the lock of the file at `path`.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the file cannot be opened or locked; errors of `body`.
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
