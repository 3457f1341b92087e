import Glibc

package final class FileAppender {
    package private(set) var descriptor: Int32
    private let path: String

    /// Opens `file`; a new file has `mode` less the umask.
    ///
    /// Errors name `path`, the path that the user gave.
    package init(
        opening file: String, flags: Int32, mode: mode_t = 0o666, for path: String
    ) throws(FileWriteError) {
        let descriptor = open(file, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw FileWriteError(code: errno, path: path, action: "create the file")
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a new file without a name in `folder`; nil where the file system has no such files.
    ///
    /// Unless ``link(as:)`` gives it a name, it is gone when it is closed. It may be read and written by all, less the
    /// umask. Errors name `path`.
    init?(unnamedIn folder: String, for path: String) {
        // `O_TMPFILE`, which Swift does not import. To name the file takes /proc.
        let unnamed = 0o20000000 | O_DIRECTORY
        guard access("/proc/self/fd", X_OK) == 0 else { return nil }
        let descriptor = open(folder, unnamed | O_WRONLY | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        if descriptor >= 0 { _ = Self.closeDescriptor(descriptor) }
    }

    /// Appends all of `bytes`.
    /// - Throws: ``FileWriteError`` when they do not fit.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileWriteError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let (count, code) = Self.writeWithoutSignal(descriptor, start, rest.count)
            if count < 0 {
                if code == EINTR { continue }
                throw FileWriteError(code: code, path: path, action: "write")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    package func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }

    /// Marks the file as being written, if the file system has locks.
    func lock() { _ = FileLock.lock(descriptor) }

    /// Gives a file without a name one; returns false if there is another file of this name.
    @discardableResult
    func link(as name: String) throws(FileWriteError) -> Bool {
        if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 {
            return true
        }
        guard errno == EEXIST else {
            throw FileWriteError(code: errno, path: path, action: "give the finished file its name")
        }
        return false
    }

    func setMode(_ mode: mode_t) throws(FileWriteError) {
        guard fchmod(descriptor, mode) == 0 else {
            throw FileWriteError(code: errno, path: path, action: "set the permissions")
        }
    }

    package func synchronize() throws(FileWriteError) {
        guard fsync(descriptor) == 0 else { throw FileWriteError(code: errno, path: path, action: "write") }
    }

    package func close() throws(FileWriteError) {
        let open = descriptor
        descriptor = -1
        guard Self.closeDescriptor(open) == 0 else {
            throw FileWriteError(code: errno, path: path, action: "write")
        }
    }

    private static func closeDescriptor(_ descriptor: Int32) -> Int32 { Glibc.close(descriptor) }

    /// Writes without the signals that end the process for a full disk quota or a closed pipe.
    ///
    /// The kernel sends SIGXFSZ or SIGPIPE to the writing thread and also returns the error. So this thread blocks
    /// them and consumes the one that the call raised.
    private static func writeWithoutSignal(
        _ descriptor: Int32, _ start: UnsafeRawPointer, _ count: Int
    ) -> (count: Int, code: Int32) {
        var held = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&held)
        sigaddset(&held, SIGXFSZ)
        sigaddset(&held, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &held, &before)
        sigpending(&pending)
        let written = write(descriptor, start, count)
        let code = errno
        if written < 0, code == EFBIG || code == EPIPE {
            let raised = code == EFBIG ? SIGXFSZ : SIGPIPE
            if sigismember(&pending, raised) == 0 {
                var one = sigset_t()
                sigemptyset(&one)
                sigaddset(&one, raised)
                var immediately = timespec()
                sigtimedwait(&one, nil, &immediately)
            }
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return (written, code)
    }
}
