import Glibc

/// The first bytes of a regular, readable, non-empty file.
struct FileHead {
    /// In bytes.
    static let length = 4096

    let content: MediaContent

    init(path: String) throws(AudioFileError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? AudioFileError(.missing, path: path, "there is no such file")
                : AudioFileError(
                    .unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw AudioFileError(.notAFile, path: path, "is a folder; expected an audio file")
        default: throw AudioFileError(.notAFile, path: path, "is a device or pipe; expected an audio file")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw AudioFileError(
                .unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else {
            throw AudioFileError(
                .unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        guard count > 0 else { throw Self.emptyFile(path) }
        content = MediaContent(of: bytes[..<count])
    }

    static func emptyFile(_ name: String) -> AudioFileError {
        AudioFileError(.empty, path: name, "is empty (0 bytes); expected an audio file")
    }
}
