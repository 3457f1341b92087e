#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The bytes of a file in memory: mapped, or copied from an array.
///
/// Sendable because nothing writes to the bytes. They live as long as their owner. The file must not be
/// shortened or changed in place meanwhile; files are replaced by renaming, which a mapping does not notice.
final class FileMemory: @unchecked Sendable {
    /// The bytes, at an address that is a multiple of 64.
    let bytes: UnsafeRawBufferPointer
    private let isMapped: Bool

    /// Maps the file that `descriptor` has open; `path` is what errors call it.
    ///
    /// - Throws: `FingerprintingError.unreadableFile` when it is a folder or a device, or cannot be mapped.
    init(descriptor: Int32, path: String, loadingBelow limit: Int) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FingerprintingError(.unreadableFile, "\(path): expected a file, found a folder or device")
        }
        let length = Int(status.st_size)
        isMapped = length > 0
        guard length > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        var flags = MAP_PRIVATE
        #if os(Linux)
            // What is about to be read to the end is cheaper to map in one go than page by page.
            if length < limit { flags |= MAP_POPULATE }
        #endif
        guard let base = mmap(nil, length, PROT_READ, flags, descriptor, 0), base != MAP_FAILED else {
            throw Self.failure(path)
        }
        bytes = UnsafeRawBufferPointer(start: base, count: length)
    }

    /// Maps the file at `path`.
    ///
    /// - Throws: `FingerprintingError.unreadableFile` when it is missing, a folder or a device, or cannot be read.
    convenience init(path: String, loadingBelow limit: Int) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
        defer { close(descriptor) }
        try self.init(descriptor: descriptor, path: path, loadingBelow: limit)
    }

    /// Copies `bytes`.
    init(_ bytes: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 64)
        memory.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
        isMapped = false
    }

    deinit {
        guard let base = bytes.baseAddress else { return }
        if isMapped {
            munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
        } else {
            base.deallocate()
        }
    }

    /// Gives back the memory of bytes that are not needed soon; they are read from the file again when they are.
    func forget(_ range: Range<Int>) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = (range.lowerBound + page - 1) / page * page
        let end = range.upperBound / page * page
        guard isMapped, start < end, let base = bytes.baseAddress else { return }
        madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
    }

    private static func failure(_ path: String) -> FingerprintingError {
        FingerprintingError(.unreadableFile, "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
}
