/// The paths that a text file or a pipe lists, read one by one: UTF-8, one a line.
///
/// Lines end in LF or CRLF; all other characters may be part of a name. A byte-order mark and blank lines are ignored.
/// So are comments, as playlists have: lines that begin with `#` and name nothing.
package struct PathList {
    /// What is wrong with a line, or with the list.
    package struct Fault: Error, CustomStringConvertible {
        package let list: String
        /// Counted from 1; nil when the list as a whole is meant.
        package let line: Int?
        package let message: String

        /// The list and the line, as compilers print them.
        package var place: String { line.map { "\(list):\($0)" } ?? list }
        package var description: String { "\(place): \(message)" }
    }

    package struct Entry {
        /// The line, counted from 1.
        package let line: Int
        package let path: Result<String, Fault>
    }

    /// In bytes; the system takes none that is longer than 4096.
    static let longestLine = 1 << 16

    private let path: String
    private let isName: (String) -> Bool
    private let reader: LineReader
    private var number = 0
    private var isEmpty = true

    /// Opens a list.
    ///
    /// - Parameter isName: Whether a line that begins with `#` is a name.
    /// - Throws: ``Fault`` when it cannot be read.
    package init(path: String, isName: @escaping (String) -> Bool) throws(Fault) {
        self.path = path
        self.isName = isName
        do { reader = try LineReader(path: path, longestLine: Self.longestLine) } catch {
            throw Self.unreadable(path, error)
        }
    }

    /// The next path, or what is wrong with its line; nil after the last.
    ///
    /// - Throws: ``Fault`` when the list cannot be read on, or names nothing.
    package mutating func next() throws(Fault) -> Entry? {
        while let line = try nextLine() {
            number += 1
            let path = text(of: line)
            if case .success(let text) = path {
                if text.allSatisfy({ $0 == " " || $0 == "\t" }) { continue }
                if text.hasPrefix("#"), !isName(text) { continue }
            }
            isEmpty = false
            return Entry(line: number, path: path)
        }
        if isEmpty { throw Fault(list: path, line: nil, message: "lists no file") }
        return nil
    }

    private func nextLine() throws(Fault) -> LineReader.Line? {
        do { return try reader.nextLine() } catch { throw Self.unreadable(path, error) }
    }

    private func text(of line: LineReader.Line) -> Result<String, Fault> {
        guard var bytes = line.bytes else { return fault("expected at most \(Self.longestLine) bytes") }
        if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if line.isComplete, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            return fault("expected a path in UTF-8, found \"\(VisibleText.quoted(bytes))\"")
        }
        return .success(text)
    }

    private func fault(_ message: String) -> Result<String, Fault> {
        .failure(Fault(list: path, line: number, message: message))
    }

    private static func unreadable(_ path: String, _ failure: LineReader.Failure) -> Fault {
        Fault(list: path, line: nil, message: "cannot be read: \(failure)")
    }
}
