import Glibc
import SystemIO

/// The bytes of a file in memory: mapped, or copied from it or from an array.
///
/// Sendable because nothing writes to the bytes. They live as long as their owner. Meanwhile no one may shorten a
/// mapped file or change it in place; ``isChanged`` notices it, and what is missing reads as zeros. Replacing it by
/// renaming is safe: the mapping keeps the old file.
final class FileMemory: @unchecked Sendable {
    /// The bytes, at an address that is a multiple of 64.
    let bytes: UnsafeRawBufferPointer
    private let isMapped: Bool
    /// The mapped file; nil for a copy.
    private let file: (descriptor: Int32, stamp: FileStamp)?
    private let mappingGuard: MappingGuard?

    /// Maps the file at `path`, or copies it when it has fewer than `copyLimit` bytes.
    ///
    /// - Throws: `FingerprintingError.unreadableFile` when it is missing, a folder or a device, or cannot be read.
    init(path: String, loadingBelow limit: Int, copyingBelow copyLimit: Int = 0) throws {
        // Opening a pipe without a writer must not wait.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FingerprintingError(.unreadableFile, "\(path): expected a file, found a folder or device")
        }
        let length = Int(status.st_size)
        isMapped = length > 0 && length >= copyLimit
        guard isMapped else {
            bytes = try Self.copy(descriptor, length: length, path: path)
            file = nil
            mappingGuard = nil
            return
        }
        var flags = MAP_PRIVATE
        // A file that is read to the end is cheaper to map in one go than page by page.
        if length < limit { flags |= MAP_POPULATE }
        guard let base = mmap(nil, length, PROT_READ, flags, descriptor, 0), base != MAP_FAILED else {
            throw Self.failure(path)
        }
        bytes = UnsafeRawBufferPointer(start: base, count: length)
        mappingGuard = MappingGuard(bytes)
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        file = own >= 0 ? FileStamp(descriptor: own).map { (own, $0) } : nil
    }

    /// Whether the mapped file was changed in place since it was opened, or could not be read.
    var isChanged: Bool {
        if mappingGuard?.hasMissedBytes == true { return true }
        guard let file, let now = FileStamp(descriptor: file.descriptor) else { return false }
        return !now.hasContents(of: file.stamp)
    }

    init(_ bytes: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 64)
        memory.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
        isMapped = false
        file = nil
        mappingGuard = nil
    }

    deinit {
        if let file { close(file.descriptor) }
        guard let base = bytes.baseAddress else { return }
        if isMapped {
            munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
        } else {
            base.deallocate()
        }
    }

    /// Frees the memory of bytes that are not needed soon; a later use reads them from the file again.
    func forget(_ range: Range<Int>) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = (range.lowerBound + page - 1) / page * page
        let end = range.upperBound / page * page
        guard isMapped, start < end, let base = bytes.baseAddress else { return }
        madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
    }

    /// The first `length` bytes of a file, or as many as there are.
    private static func copy(
        _ descriptor: Int32, length: Int, path: String
    ) throws -> UnsafeRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(length, 1), alignment: 64)
        var count = 0
        while count < length {
            let more = read(descriptor, memory.baseAddress?.advanced(by: count), length - count)
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else {
                let error = failure(path)
                memory.deallocate()
                throw error
            }
            if more == 0 { break }
            count += more
        }
        return UnsafeRawBufferPointer(rebasing: memory[..<count])
    }

    private static func failure(_ path: String) -> FingerprintingError {
        FingerprintingError(.unreadableFile, "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
}
