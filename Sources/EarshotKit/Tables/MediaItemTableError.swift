import SystemIO

/// A table of media items that cannot be read, and where.
public struct MediaItemTableError: Error, CustomStringConvertible, Hashable, Sendable {
    /// A place in a text.
    public struct Place: Hashable, Sendable {
        /// The line, counted from 1.
        public let line: Int
        /// The character in the line, counted from 1.
        public let column: Int
    }

    /// The file, as it was named.
    public let file: String
    /// Where in the file; nil when it cannot be read at all.
    public let place: Place?
    /// What was expected, and what is there.
    public let reason: String

    init(file: String, line: Int, column: Int, reason: String) {
        self.file = file
        place = Place(line: line, column: column)
        self.reason = reason
    }

    init(_ error: CSVError) {
        file = error.file
        place = error.place.map { Place(line: $0.line, column: $0.column) }
        reason = error.reason
    }

    init(file: String, reason: String) {
        self.file = file
        place = nil
        self.reason = reason
    }

    /// File, line, column and reason, for the user.
    public var description: String {
        guard let place else { return "\(file): \(reason)" }
        return "\(file): line \(place.line), column \(place.column): \(reason)"
    }
}
