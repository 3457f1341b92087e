import Glibc

/// A file that could not be written, and why.
public struct FileWriteError: Error, CustomStringConvertible, Sendable, Equatable {
    /// The system's error number, for example `ENOSPC`.
    public let code: Int32
    /// The file as it was named by the caller.
    public let path: String
    /// What was being done.
    public let action: String

    /// Takes what was being done and the system's error number.
    public init(code: Int32, path: String, action: String) {
        self.code = code
        self.path = path
        self.action = action
    }

    /// The file and what is wrong, for the user.
    public var description: String {
        let reason =
            switch code {
            case ENOSPC: "the disk is full"
            case EDQUOT: "the disk quota is used up"
            case EFBIG: "the file would exceed the limit on file sizes"
            default: String(cString: strerror(code))
            }
        return "\(path): cannot \(action): \(reason); nothing was written"
    }
}
