import SystemIO

/// Keeps other runs out of a run folder until deinit.
package final class RunLock: Sendable {
    package static let fileName = "run.lock"

    private let lock: FileLock

    /// Takes the lock of `folder`, which must exist.
    ///
    /// - Throws: ``StoreError`` if another process holds the lock, or the folder cannot be written.
    package init(folder: String) throws {
        let path = folder + "/" + Self.fileName
        do {
            lock = try FileLock(path)
        } catch FileLock.Failure.cannotLock {
            throw Self.isTaken(path)
        } catch {
            throw StoreError(path: path, message: "cannot be opened: \(error)")
        }
    }

    static func isTaken(_ path: String) -> StoreError {
        StoreError(
            path: path, message: "another evaluation is writing this folder; wait for it or name another")
    }
}
