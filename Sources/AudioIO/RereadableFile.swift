import Glibc
import SystemIO

/// A file that can be read several times, also by other programs, where there may be a pipe.
///
/// The bytes of a pipe go to a file without a name, which is gone when this is.
package final class RereadableFile {
    /// The path to read.
    package let path: String
    private let name: String
    private let copy: FileAppender?

    /// Takes the path of a file or a pipe; "-" is standard input.
    ///
    /// - Throws: ``AudioFileError`` for a terminal, or if a pipe cannot be read or stored.
    package init(_ name: String) throws(AudioFileError) {
        self.name = name
        let own = "/proc/\(getpid())/fd/"
        let source = name == "-" ? own + "\(STDIN_FILENO)" : name
        var status = stat()
        guard stat(source, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
            guard name != "-" || isatty(STDIN_FILENO) == 0 else {
                throw AudioFileError(
                    .notAFile, path: name, "is a terminal; expected audio of a pipe or a file")
            }
            (path, copy) = (source, nil)
            return
        }
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let file = "\(folder)/earshot-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        do {
            let copy = try FileAppender(
                opening: file, flags: O_WRONLY | O_CREAT | O_EXCL, mode: S_IRUSR | S_IWUSR, for: folder)
            unlink(file)
            (path, self.copy) = (own + "\(copy.descriptor)", copy)
            let pipe = name == "-" ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC)
            guard pipe >= 0 else { throw AudioFileError.unreadable(name) }
            defer { close(pipe) }
            var block = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = Glibc.read(pipe, &block, block.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw AudioFileError.unreadable(name) }
                guard count > 0 else { break }
                try block.withUnsafeBytes { try copy.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        } catch {
            throw error as? AudioFileError
                ?? AudioFileError(.unreadable, path: name, "cannot be stored: \(error)")
        }
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
