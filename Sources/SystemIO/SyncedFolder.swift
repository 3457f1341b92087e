import Glibc

/// A folder whose names are on the disk only once it is synchronised.
package struct SyncedFolder: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Opens the folder at `path`; errors name `file`, the path that the user gave.
    ///
    /// A folder that may be written but not read cannot be synchronised, and is left to the system.
    package init(_ path: String, for file: String) throws(FileWriteError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        self.path = file
        guard descriptor >= 0 || errno == EACCES else {
            throw FileWriteError(code: errno, path: file, action: "create the file")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Waits until all names in the folder are on the disk.
    ///
    /// - Throws: ``FileWriteError`` that says that the change was made.
    package func synchronize() throws(FileWriteError) {
        // Some network file systems have no such operation, because they write names at once.
        guard descriptor >= 0, fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP else { return }
        throw FileWriteError(code: errno, path: path, action: "synchronise the folder", isInPlace: true)
    }

    /// Makes a folder, and those above it, whose names are on the disk when this returns.
    ///
    /// - Parameter mode: The permissions of the last one, less the umask.
    package static func make(_ path: String, mode: mode_t = 0o777) throws(FileWriteError) {
        let parent = self.parent(of: path)
        if mkdir(path, mode) != 0 {
            let code = errno
            var status = stat()
            switch code {
            case EEXIST where stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR: break
            // In some file systems no folder can be made where its parent is.
            case ENOENT where parent != path && stat(parent, &status) != 0:
                try make(parent)
                return try make(path, mode: mode)
            default: throw FileWriteError(code: code, path: path, action: "make the folder")
            }
        }
        // Also for a folder that is there: who made it may have been killed before this.
        try SyncedFolder(parent, for: path).synchronize()
    }

    /// The folder that holds the file or folder at `path`.
    package static func parent(of path: String) -> String {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        guard !path.hasPrefix("/") else { return "/" + folder }
        return folder.isEmpty ? "." : folder
    }
}
