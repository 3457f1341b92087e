#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads whole files.
enum FileBytes {
    /// All bytes of the file at `path`, whatever length it claims to have.
    ///
    /// - Throws: `FingerprintingError.unreadableFile` when it is missing, a folder, or cannot be read.
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FingerprintingError(.unreadableFile, "\(path): expected a file, found a folder or device")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(Int(status.st_size), 1 << 26))
        let chunkSize = 1 << 20
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, used in
                count = systemRead(descriptor, buffer.baseAddress, chunkSize)
                used = max(0, count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path)
            }
            if count == 0 { return bytes }
            bytes += chunk
        }
    }

    private static func failure(_ path: String) -> FingerprintingError {
        FingerprintingError(.unreadableFile, "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
}

/// `read(2)`, under a name that the enum's own `read` does not hide.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
