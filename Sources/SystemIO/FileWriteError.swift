import Glibc

/// A file that could not be written, with the reason.
public struct FileWriteError: Error, CustomStringConvertible, Sendable, Equatable {
    /// The system's error number, for example `ENOSPC`.
    public let code: Int32
    /// The path as the caller gave it.
    public let path: String
    /// The failed action, for example "write".
    public let action: String
    /// Whether the file is written all the same, but may be lost if the power fails.
    public let isInPlace: Bool

    init(code: Int32, path: String, action: String, isInPlace: Bool = false) {
        self.code = code
        self.path = path
        self.action = action
        self.isInPlace = isInPlace
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
        let outcome =
            isInPlace ? "it was written, but may be lost if the power fails" : "nothing was written"
        return "\(path): cannot \(action): \(reason); \(outcome)"
    }
}
