import Glibc

/// Reads a file or a pipe line by line, in memory bounded by the longest line.
package final class LineReader {
    package struct Line {
        /// The bytes without the line end; nil if there are too many.
        package let bytes: ArraySlice<UInt8>?
        /// Whether a line feed ends it, which may be missing after the last.
        package let isComplete: Bool
    }

    /// The system's error number.
    package struct Failure: Error, CustomStringConvertible {
        package let code: Int32

        package var description: String { String(cString: strerror(code)) }
    }

    /// Whether it reads a regular file.
    package let isFile: Bool
    private let descriptor: Int32
    private let longestLine: Int
    private var pending: [UInt8] = []
    private var next = 0
    private var isAtEnd = false

    /// Opens what is at `path`; a pipe that nobody writes to counts as empty.
    package init(path: String, longestLine: Int) throws(Failure) {
        descriptor = FileContents.open(path)
        self.longestLine = longestLine
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            isFile = false
            throw Failure(code: errno)
        }
        isFile = status.st_mode & S_IFMT == S_IFREG
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next line; nil at the end.
    package func nextLine() throws(Failure) -> Line? {
        var isTooLong = false
        var searched = next
        while true {
            if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { next = end + 1 }
                return line(to: end, isTooLong: isTooLong, isComplete: true)
            }
            if isAtEnd {
                guard isTooLong || next < pending.count else { return nil }
                defer { next = pending.count }
                return line(to: pending.count, isTooLong: isTooLong, isComplete: false)
            }
            if pending.count - next > longestLine {
                isTooLong = true
                next = pending.count
            }
            pending.removeFirst(next)
            next = 0
            searched = pending.count
            try readMore()
        }
    }

    private func line(to end: Int, isTooLong: Bool, isComplete: Bool) -> Line {
        Line(
            bytes: isTooLong || end - next > longestLine ? nil : pending[next..<end], isComplete: isComplete)
    }

    private func readMore() throws(Failure) {
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            isAtEnd = count == 0
            pending += block[..<count]
            return
        }
    }
}
