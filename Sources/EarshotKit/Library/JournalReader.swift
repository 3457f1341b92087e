import Foundation

/// Reads the whole lines of a file one by one, in memory that the longest line allowed bounds.
final class JournalReader {
    private let file: FileHandle
    private let path: String
    private let longestLine: Int
    private var pending = Data()
    private var isAtEnd = false

    /// Opens the file at `path`; gives nil when it is no regular file, or gone.
    init?(path: String, longestLine: Int) throws {
        // Without waiting, for a pipe may have no writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SHError(
                .mediaLibrarySyncFailed,
                message: "\(path): cannot be read: \(String(cString: strerror(errno)))")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.path = path
        self.longestLine = longestLine
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    }

    /// The next line without its end; a line within for one that is too long, nil after the last.
    ///
    /// Bytes after the last line end are no line yet: they may still be arriving.
    func next() throws -> Data?? {
        var isTooLong = false
        var searched = pending.startIndex
        while true {
            if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[..<end]
                pending = pending[(end + 1)...]
                return .some(isTooLong || line.count > longestLine ? nil : Data(line))
            }
            if isAtEnd { return nil }
            if pending.count > longestLine {
                isTooLong = true
                pending = Data()
            }
            let more: Data?
            do { more = try file.read(upToCount: 1 << 16) } catch {
                throw SHError(
                    .mediaLibrarySyncFailed, message: "\(path): cannot be read: \(error.localizedDescription)"
                )
            }
            pending = Data(pending)
            searched = pending.endIndex
            pending += more ?? Data()
            isAtEnd = (more ?? Data()).isEmpty
        }
    }
}
