import Foundation

/// What the system keeps of files in memory.
enum PageCache {
    /// Writes what is to be written of a file to disk, and has the system forget its pages; returns its length in bytes.
    static func drop(_ path: String) throws -> Int {
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
        try file.synchronize()
        let bytes = try file.seekToEnd()
        posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
        return Int(bytes)
    }
}
