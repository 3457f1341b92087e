internal import CSndfile

/// A file in memory that libsndfile reads or writes through callbacks with checked bounds.
final class MemoryFile {
    private(set) var bytes: [UInt8]
    private var position = 0
    /// Limits the allocation after a seek far beyond the end.
    private static let maximumSize = 1 << 36

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// The user data of the callbacks is an unretained pointer to a ``MemoryFile``.
    static func callbacks() -> SF_VIRTUAL_IO {
        SF_VIRTUAL_IO(
            get_filelen: { sf_count_t(MemoryFile.at($0).bytes.count) },
            seek: { offset, whence, user in MemoryFile.at(user).seek(offset, whence) },
            read: { target, count, user in MemoryFile.at(user).read(target, count) },
            write: { source, count, user in MemoryFile.at(user).write(source, count) },
            tell: { sf_count_t(MemoryFile.at($0).position) })
    }

    private static func at(_ user: UnsafeMutableRawPointer?) -> MemoryFile {
        guard let user else { preconditionFailure("libsndfile lost the memory file") }
        return Unmanaged<MemoryFile>.fromOpaque(user).takeUnretainedValue()
    }

    private func seek(_ offset: sf_count_t, _ whence: Int32) -> sf_count_t {
        let base: Int
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = bytes.count
        default: return -1
        }
        let (target, overflow) = base.addingReportingOverflow(Int(offset))
        guard !overflow, target >= 0, target <= Self.maximumSize else { return -1 }
        position = target
        return sf_count_t(target)
    }

    private func read(_ target: UnsafeMutableRawPointer?, _ count: sf_count_t) -> sf_count_t {
        guard let target, count > 0, position < bytes.count else { return 0 }
        let count = min(Int(count), bytes.count - position)
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: target, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[position..<position + count]))
        }
        position += count
        return sf_count_t(count)
    }

    private func write(_ source: UnsafeRawPointer?, _ count: sf_count_t) -> sf_count_t {
        guard let source, count > 0, Int(count) <= Self.maximumSize - position else { return 0 }
        let end = position + Int(count)
        if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
        bytes.withUnsafeMutableBytes { target in
            UnsafeMutableRawBufferPointer(rebasing: target[position..<end])
                .copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(count)))
        }
        position = end
        return count
    }
}
