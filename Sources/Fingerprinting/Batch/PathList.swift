import SystemIO

/// The paths that a text file or a pipe lists, read one by one: UTF-8, one a line.
///
/// Lines end in LF or CRLF; all other characters may be part of a name. A byte-order mark and blank lines are ignored.
package struct PathList {
    /// In bytes; the system takes none that is longer than 4096.
    static let longestLine = 1 << 16

    private let path: String
    private let reader: LineReader
    private var number = 0
    private var isEmpty = true

    /// Opens a list.
    ///
    /// - Throws: `FingerprintingError` when it cannot be read.
    package init(path: String) throws {
        self.path = path
        do { reader = try LineReader(path: path, longestLine: Self.longestLine) } catch {
            throw Self.unreadable(path, error)
        }
    }

    /// The next path; nil after the last.
    ///
    /// - Throws: `FingerprintingError` naming the line that holds no path, or when there is none in the list.
    package mutating func next() throws -> String? {
        while let line = try nextLine() {
            number += 1
            guard var bytes = line.bytes else { throw error("expected at most \(Self.longestLine) bytes") }
            if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
            if line.isComplete, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw error("expected a path in UTF-8")
            }
            isEmpty = false
            return text
        }
        if isEmpty { throw FingerprintingError(.nothingToDo, "\(path): lists no file") }
        return nil
    }

    private func nextLine() throws -> LineReader.Line? {
        do { return try reader.nextLine() } catch { throw Self.unreadable(path, error) }
    }

    private func error(_ expected: String) -> FingerprintingError {
        FingerprintingError(.unreadableFile, "\(path): line \(number): \(expected)")
    }

    private static func unreadable(_ path: String, _ failure: LineReader.Failure) -> FingerprintingError {
        FingerprintingError(.unreadableFile, "\(path): cannot be read: \(failure)")
    }
}
