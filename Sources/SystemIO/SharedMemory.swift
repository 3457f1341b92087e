internal import CConfinement
import Glibc

/// Memory that two processes have.
package final class SharedMemory {
    package let descriptor: Int32
    package let bytes: UnsafeMutableRawBufferPointer

    /// Memory of zeros, of which only what is used takes room.
    /// - Throws: `ProcessStart.Failure` if there is none.
    package convenience init(byteCount: Int) throws(ProcessStart.Failure) {
        let descriptor = confinement_memory(UInt(byteCount))
        guard descriptor >= 0 else { throw ProcessStart.Failure(code: errno) }
        try self.init(descriptor: descriptor)
    }

    /// Memory that another process has made; takes its descriptor.
    /// - Throws: `ProcessStart.Failure` if it cannot be mapped.
    package init(descriptor: Int32) throws(ProcessStart.Failure) {
        self.descriptor = descriptor
        var status = stat()
        let byteCount = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start, start != MAP_FAILED else {
            let code = errno
            close(descriptor)
            throw ProcessStart.Failure(code: code)
        }
        bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit {
        munmap(bytes.baseAddress, bytes.count)
        close(descriptor)
    }
}
