import Glibc

/// A file on the disk, read at any position.
final class StoredFile: VirtualFile {
    private let descriptor: Int32
    private let length: Int
    private var failure: Int32?

    init(path: String) throws(AudioFileError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw AudioFileError(
                .unreadable, path: path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        length = Int(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    override var byteCount: Int { length }
    override var readFailure: Int32? { failure }

    override func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < target.count {
            let more = pread(
                descriptor, target.baseAddress?.advanced(by: count), target.count - count, position + count)
            if more < 0, errno == EINTR { continue }
            if more < 0, failure == nil { failure = errno }
            guard more > 0 else { break }
            count += more
        }
        return count
    }
}

/// Some ranges of another file, one after the other.
final class FileParts: VirtualFile {
    private let whole: VirtualFile
    private let parts: [Range<Int>]

    init(_ parts: [Range<Int>], of whole: VirtualFile) {
        self.whole = whole
        self.parts = parts
    }

    override var byteCount: Int { parts.reduce(0) { $0 + $1.count } }
    override var readFailure: Int32? { whole.readFailure }

    override func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        var skipped = position
        var count = 0
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
