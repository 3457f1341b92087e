import Glibc

/// A file with given bytes, removed at deinit.
package final class TemporaryFile {
    package let path: String

    package init(_ bytes: [UInt8]) throws {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let path = "\(folder)/earshot-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let flags = O_WRONLY | O_CREAT | O_EXCL
        let appender = try FileAppender(opening: path, flags: flags, mode: S_IRUSR | S_IWUSR, for: path)
        self.path = path
        try appender.append(bytes)
        try appender.close()
    }

    deinit { unlink(path) }
}
