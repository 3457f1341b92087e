#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps a second run out of a run folder for as long as it lives; the kernel frees it on a kill.
package final class RunLock {
    /// The file in the folder that is locked.
    package static let fileName = "run.lock"

    private let descriptor: Int32

    /// Takes the lock of `folder`, which must exist.
    ///
    /// - Throws: ``StoreError`` when another process holds it, or the folder cannot be written.
    package init(folder: String) throws {
        let path = folder + "/" + Self.fileName
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw StoreError(path: path, message: "cannot be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(
                path: path, message: "another evaluation is writing this folder; wait for it or name another")
        }
    }

    deinit { close(descriptor) }
}
