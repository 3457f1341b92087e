import Glibc

/// A file that could not be written, with the reason.
public struct FileWriteError: Error, CustomStringConvertible, Sendable, Equatable {
    /// The system's error number, for example `ENOSPC`.
    public let code: Int32
    /// The path as the caller gave it.
    public let path: String
    /// The failed action, for example "write".
    public let action: String

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
