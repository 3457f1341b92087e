import SystemIO

extension FileLock {
    /// Runs `body` while holding the lock of the file at `path`; waits for it.
    /// - Throws: `SHError.mediaLibrarySyncFailed` if the file cannot be opened or locked; errors of `body`.
    static func holding<T>(_ path: String, _ body: () throws -> T) throws -> T {
        let lock: FileLock
        do {
            lock = try FileLock(path, mode: 0o600, waits: true)
        } catch {
            let action = if case .cannotOpen = error { "opened" } else { "locked" }
            throw SHError(.mediaLibrarySyncFailed, message: "\(path): cannot be \(action): \(error)")
        }
        return try withExtendedLifetime(lock, body)
    }
}
