import Glibc
import SystemIO

/// A file on the disk, read at any position.
final class StoredFile: VirtualFile {
    let path: String
    private let file: Int32
    private let length: Int
    private let stamp: FileStamp?
    private var failure: Int32?

    convenience init(path: String) throws(AudioFileError) {
        try self.init(open(path, O_RDONLY | O_CLOEXEC), path: path)
    }

    /// Takes the descriptor of an open file.
    init(_ descriptor: Int32, path: String) throws(AudioFileError) {
        self.path = path
        file = descriptor
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { throw .unreadable(path) }
        length = Int(status.st_size)
        stamp = FileStamp(descriptor: descriptor)
    }

    /// Opens a regular, readable, non-empty file.
    static func audio(path: String) throws(AudioFileError) -> StoredFile {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw AudioFileError(.notAFile, path: path, "is a folder; expected an audio file")
        default: throw AudioFileError(.notAFile, path: path, "is a device or pipe; expected an audio file")
        }
        guard status.st_size > 0 else { throw empty(path) }
        return try StoredFile(path: path)
    }

    static func empty(_ name: String) -> AudioFileError {
        AudioFileError(.empty, path: name, "is empty (0 bytes); expected an audio file")
    }

    deinit { if file >= 0 { close(file) } }

    override func descriptor() -> Int32 { file }
    override var byteCount: Int { length }
    override var readFailure: Int32? { failure }

    override var change: FileChange? {
        guard let stamp, let now = FileStamp(descriptor: file), !now.hasContents(of: stamp) else {
            return nil
        }
        return FileChange(isShorter: now.byteCount < length)
    }

    override func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < target.count {
            let more = pread(
                file, target.baseAddress?.advanced(by: count), target.count - count, position + count)
            if more < 0, errno == EINTR { continue }
            if more < 0, failure == nil { failure = errno }
            guard more > 0 else { break }
            count += more
        }
        return count
    }
}

/// Given bytes, and after them some ranges of another file, one after the other.
final class FileParts: VirtualFile {
    private let whole: VirtualFile
    private let parts: [Range<Int>]
    private let head: MemoryFile
    private let length: Int
    /// The most bytes that a call gives near the end, so that a decoder's buffer does not run far ahead of it.
    private let lastBlock: Int?

    init(_ parts: [Range<Int>], of whole: VirtualFile, after head: [UInt8] = [], lastBlock: Int? = nil) {
        self.whole = whole
        self.parts = parts
        self.head = MemoryFile(head)
        self.lastBlock = lastBlock
        length = parts.reduce(head.count) { $0 + $1.count }
    }

    override var byteCount: Int { length }
    override var readFailure: Int32? { whole.readFailure }

    override func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        var target = target
        if let lastBlock, position > length - (1 << 17), target.count > lastBlock {
            target = UnsafeMutableRawBufferPointer(rebasing: target[..<lastBlock])
        }
        var count = head.read(at: position, into: target)
        var skipped = max(0, position - head.byteCount)
        for part in parts {
            guard skipped < part.count else {
                skipped -= part.count
                continue
            }
            let wanted = min(part.count - skipped, target.count - count)
            let got = whole.read(
                at: part.lowerBound + skipped,
                into: UnsafeMutableRawBufferPointer(rebasing: target[count..<(count + wanted)]))
            count += got
            skipped = 0
            if got < wanted || count == target.count { break }
        }
        return count
    }
}
