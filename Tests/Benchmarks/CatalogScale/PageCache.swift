import Foundation

/// The system's cache of files.
enum PageCache {
    /// Writes a file to disk and drops its pages from the cache; returns its length in bytes.
    static func drop(_ path: String) throws -> Int {
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
        try file.synchronize()
        let bytes = try file.seekToEnd()
        posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
        return Int(bytes)
    }
}
