#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file with given bytes that goes away with its owner.
final class TemporaryFile {
    let path: String

    init(_ bytes: [UInt8]) throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/earshot-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        guard descriptor >= 0 else {
            throw FileWriteError(code: errno, path: path, action: "create a temporary file")
        }
        close(descriptor)
        let appender = try FileAppender(opening: path, flags: O_WRONLY, for: path)
        try appender.append(bytes)
        try appender.close()
    }

    deinit {
        unlink(path)
    }
}
