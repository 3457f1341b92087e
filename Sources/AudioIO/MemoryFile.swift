internal import CSndfile
import Glibc
import SystemIO

/// What other programs did to a file while it was read.
struct FileChange {
    let isShorter: Bool
}

/// A file that libsndfile reads or writes through callbacks with checked bounds.
class VirtualFile {
    /// The user data of the callbacks is an unretained pointer to a ``VirtualFile``.
    static func callbacks() -> SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { sf_count_t(VirtualFile.at($0).byteCount) },
            seek: { offset, whence, user in VirtualFile.at(user).seek(offset, whence) },
            read: { target, count, user in
                guard let target, count > 0 else { return 0 }
                let file = VirtualFile.at(user)
                let bytes = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
                let got = file.read(at: file.position, into: bytes)
                file.position += got
                return sf_count_t(got)
            },
            write: { source, count, user in
                guard let source, count > 0 else { return 0 }
                let file = VirtualFile.at(user)
                let bytes = UnsafeRawBufferPointer(start: source, count: Int(count))
                let put = file.write(bytes, at: file.position)
                file.position += put
                return sf_count_t(put)
            },
            tell: { sf_count_t(VirtualFile.at($0).position) })
    }

    var byteCount: Int { 0 }
    /// The system's error number of the first read that failed; nil if none did.
    var readFailure: Int32? { nil }

    /// What became of it since it was opened; nil if nothing did.
    var change: FileChange? { nil }

    /// Throws if a read failed, which says nothing of the content.
    final func expectNoFailure(name: String) throws(AudioFileError) {
        guard let readFailure else { return }
        throw Self.error(readFailure, name: name)
    }

    static func error(_ readFailure: Int32, name: String) -> AudioFileError {
        AudioFileError(.unreadable, path: name, "cannot be read: \(String(cString: strerror(readFailure)))")
    }

    /// Throws unless every byte of `range` can be read.
    final func requireReadable(_ range: Range<Int>, name: String) throws(AudioFileError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let count = bytes(at: place, min(1 << 16, range.upperBound - place)).count
            try expectNoFailure(name: name)
            guard count > 0 else { return }
            place += count
        }
    }

    /// A descriptor from which another process can read it.
    func descriptor() throws(ProcessStart.Failure) -> Int32 { -1 }

    /// Copies the bytes from `position` on, as many as there are and fit; returns their number.
    func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int { 0 }

    /// At most `count` bytes from `place` on, none before the beginning.
    final func bytes(at place: Int, _ count: Int) -> [UInt8] {
        guard place >= 0, count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = read(at: place, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    final func has(_ text: String, at place: Int) -> Bool {
        bytes(at: place, text.utf8.count).elementsEqual(text.utf8)
    }

    /// Returns the number of bytes that were written.
    func write(_ source: UnsafeRawBufferPointer, at position: Int) -> Int { 0 }

    private(set) final var position = 0
    /// Limits the allocation after a seek far beyond the end.
    static let maximumSize = 1 << 36

    private static func at(_ user: UnsafeMutableRawPointer?) -> VirtualFile {
        guard let user else { preconditionFailure("libsndfile lost the virtual file") }
        return Unmanaged<VirtualFile>.fromOpaque(user).takeUnretainedValue()
    }

    private func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
        let base: Int
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = byteCount
        default: return -1
        }
        let (target, overflow) = base.addingReportingOverflow(Int(offset))
        guard !overflow, target >= 0, target <= Self.maximumSize else { return -1 }
        position = target
        return sf_count_t(target)
    }
}

/// A file in memory.
final class MemoryFile: VirtualFile {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// A copy, for other processes.
    private var copy: Int32 = -1

    override func descriptor() throws(ProcessStart.Failure) -> Int32 {
        if copy < 0 { copy = try ProcessStart.file(with: bytes) }
        return copy
    }

    deinit { if copy >= 0 { close(copy) } }

    override var byteCount: Int { bytes.count }

    override func read(at position: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        guard position < bytes.count else { return 0 }
        let count = min(target.count, bytes.count - position)
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(rebasing: target[..<count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[position..<position + count]))
        }
        return count
    }

    override func write(_ source: UnsafeRawBufferPointer, at position: Int) -> Int {
        guard source.count <= Self.maximumSize - position else { return 0 }
        let end = position + source.count
        if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
        bytes.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[position..<end]).copyMemory(from: source)
        }
        return source.count
    }
}
