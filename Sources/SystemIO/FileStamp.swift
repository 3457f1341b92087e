import Glibc
import Synchronization

/// What changes when a file is written or replaced: size, times of modification and of status change, and inode.
///
/// A restored time of modification hides no change, because no program can set the time of status change.
package struct FileStamp: Codable, Hashable, Sendable {
    package let byteCount: Int
    /// In nanoseconds since 1970, as the time of status change.
    let modified: Int
    let changed: Int
    let device: UInt64
    let inode: UInt64

    /// Whether both name one file, perhaps through links.
    package func isSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }

    /// Whether no one has written to the file in between.
    ///
    /// Renaming and linking do not count.
    package func hasContents(of other: FileStamp) -> Bool {
        isSameFile(as: other) && byteCount == other.byteCount && modified == other.modified
    }

    /// The stamp of the regular file at `path`, which may be a link; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The stamp of the regular file that `descriptor` has open; nil if it is none.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }
        byteCount = Int(status.st_size)
        modified = nanoseconds(status.st_mtim)
        changed = nanoseconds(status.st_ctim)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}

/// The contents of files.
package enum FileContents {
    /// Opens what is at `path` to read it; a pipe that nobody writes to counts as empty.
    ///
    /// - Returns: A descriptor; -1 after an error, which is in `errno`.
    package static func open(_ path: String) -> Int32 {
        // Opening a pipe without a writer must not wait.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }
        return descriptor
    }

    /// The bytes of what is at `path`, at most the first `count`; nil if it cannot be read.
    package static func prefix(of path: String, count: Int = .max) -> [UInt8]? {
        let descriptor = open(path)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: min(count, 1 << 16))
        while bytes.count < count {
            let more = read(descriptor, &block, min(block.count, count - bytes.count))
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { return nil }
            if more == 0 { break }
            bytes += block[..<more]
        }
        return bytes
    }

    private static let known = Mutex<[String: (stamp: FileStamp, sha256: String)]>([:])

    /// SHA-256 of the regular file at `path`, in hexadecimal; nil if it cannot be read to its end.
    ///
    /// A process reads a file again only if its stamp is new.
    package static func sha256(of path: String) -> String? {
        guard let stamp = FileStamp(path: path) else { return nil }
        if let entry = known.withLock({ $0[path] }), entry.stamp == stamp { return entry.sha256 }
        guard let sha256 = Digest.sha256(ofFile: path) else { return nil }
        known.withLock { $0[path] = (stamp, sha256) }
        return sha256
    }
}
