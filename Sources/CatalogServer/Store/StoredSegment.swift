/// References of a store that are searched together: a file, or the latest ones in memory.
struct StoredSegment: Sendable {
    enum Origin: Sendable {
        /// A file by its number.
        case file(Int64)
        /// Rows of the manifest by their versions.
        case memory([Int64])
    }

    let origin: Origin
    /// Whether the next references join it; at most one segment is open.
    var isOpen = false
    var served: ServedSegment

    var isInMemory: Bool {
        if case .memory = origin { return true }
        return false
    }
}
