import Glibc

/// A file that can be read several times, also by other programs, where there may be a pipe.
///
/// The bytes of a pipe go to a file without a name, which is gone when this is.
package final class RereadableFile {
    /// The path to read.
    package let path: String
    private let name: String
    private var descriptor: Int32 = -1

    /// Takes the path of a file or a pipe; "-" is standard input.
    ///
    /// - Throws: ``AudioFileError`` for a terminal, or if a pipe cannot be read or stored.
    package init(_ name: String) throws(AudioFileError) {
        self.name = name
        let own = "/proc/\(getpid())/fd/"
        let isStandardInput = name == "-"
        var status = stat()
        let isThere = isStandardInput ? fstat(STDIN_FILENO, &status) == 0 : stat(name, &status) == 0
        guard isThere, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
            path = isStandardInput ? own + "\(STDIN_FILENO)" : name
            guard !isStandardInput || isatty(STDIN_FILENO) == 0 else {
                throw AudioFileError(
                    .notAFile, path: name, "is a terminal; expected audio of a pipe or a file")
            }
            return
        }
        let source = isStandardInput ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw Self.failure(name, "cannot be read") }
        defer { close(source) }
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/earshot-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Self.failure(name, "cannot be stored in \(folder)") }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        path = own + "\(descriptor)"
        try Self.copy(from: source, to: descriptor, name: name, folder: folder)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func copy(
        from source: Int32, to target: Int32, name: String, folder: String
    ) throws(AudioFileError) {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(source, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(name, "cannot be read") }
            guard count > 0 else { return }
            var written = 0
            while written < count {
                let more = block.withUnsafeBytes { write(target, $0.baseAddress! + written, count - written) }
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { throw failure(name, "cannot be stored in \(folder)") }
                written += more
            }
        }
    }

    private static func failure(_ name: String, _ what: String) -> AudioFileError {
        AudioFileError(.unreadable, path: name, "\(what): \(String(cString: strerror(errno)))")
    }

    /// Calls `body` with the path to read; its errors have the name that the caller gave.
    package func read<T>(_ body: (String) throws -> T) throws -> T {
        do { return try body(path) } catch let error as AudioFileError {
            throw AudioFileError(error.code, path: name, named(error.message))
        }
    }

    /// The text with the name that the caller gave.
    package func named(_ text: String) -> String { text.replacing(path, with: name) }
}
