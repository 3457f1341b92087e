import Glibc

/// The first bytes of a regular, readable, non-empty file.
struct FileHead {
    /// In bytes.
    static let length = 4096

    let content: MediaContent
    /// Whether a WAV header states more bytes of samples than the file has.
    let isCutShort: Bool

    /// Takes the first bytes of a file of `byteCount` bytes.
    init(_ bytes: ArraySlice<UInt8>, byteCount: Int) {
        content = MediaContent(of: bytes)
        isCutShort = Self.statedEnd(Array(bytes)).map { $0 > byteCount } ?? false
    }

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
        self.init(bytes[..<count], byteCount: Int(status.st_size))
    }

    /// Where the samples of a WAV file end by its header; nil for another file, and for the header of a stream.
    private static func statedEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8)
        else { return nil }
        var place = 12
        while place + 8 <= bytes.count {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[place + 4 + $1]) << (8 * $1) }
            if bytes[place..<place + 4].elementsEqual("data".utf8) {
                // Programs that write to a pipe state a size near 2³¹ or 2³².
                return size < 0x7FFF_0000 ? place + 8 + size : nil
            }
            place += 8 + size + size % 2
        }
        return nil
    }

    static func emptyFile(_ name: String) -> AudioFileError {
        AudioFileError(.empty, path: name, "is empty (0 bytes); expected an audio file")
    }
}
