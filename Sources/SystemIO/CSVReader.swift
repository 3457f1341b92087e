import Foundation

/// Reads comma-separated values (RFC 4180) row by row.
///
/// The text is UTF-8. Double quotes enclose cells with commas, quotes or line ends; quotes in them are doubled. Lines
/// end in LF, CRLF or CR. Empty lines are skipped. Rows are bounded (``longestRow``), and so is the memory for any file.
package struct CSVReader {
    package struct Cell: Sendable {
        package let text: String
        package let isQuoted: Bool
        /// The line it begins on, counted from 1.
        package let line: Int
        /// The character of the line it begins at, counted from 1.
        package let column: Int
    }

    package static let longestRow = 16 << 20
    package static let mostCells = 4096

    private let name: String
    private var source: ByteSource
    private var line = 1
    private var column = 1

    /// Reads the file at `path`.
    ///
    /// - Throws: ``CSVError`` when it cannot be opened.
    package init(path: String) throws {
        name = path
        let descriptor = FileContents.open(path)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CSVError(file: path, place: nil, reason: "cannot be read: \(reason)")
        }
        source = ByteSource(file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
        skipByteOrderMark()
    }

    package init(_ bytes: Data, name: String) {
        self.name = name
        source = ByteSource(bytes: bytes)
        skipByteOrderMark()
    }

    private mutating func skipByteOrderMark() {
        // All three bytes, because other characters begin with the first.
        guard source.peek() == 0xEF, source.peek(1) == 0xBB, source.peek(2) == 0xBF else { return }
        for _ in 0..<3 { source.advance() }
    }

    /// The next row that is not empty; nil after the last.
    ///
    /// - Throws: ``CSVError`` when the text is no such table.
    package mutating func next() throws -> [Cell]? {
        var budget = Self.longestRow
        while true {
            guard source.peek() != nil else {
                try source.throwIfFailed()
                return nil
            }
            var cells: [Cell] = []
            var isLast = false
            while !isLast {
                guard cells.count < Self.mostCells else {
                    throw error(line, column, "expected at most \(Self.mostCells) cells in a row")
                }
                let cell = try nextCell(&budget)
                cells.append(cell)
                isLast = try endCell()
            }
            if cells.count > 1 || cells[0].isQuoted || !cells[0].text.isEmpty { return cells }
        }
    }

    private mutating func nextCell(_ budget: inout Int) throws -> Cell {
        let (firstLine, firstColumn) = (line, column)
        let isQuoted = source.peek() == UInt8(ascii: "\"")
        var bytes: [UInt8] = []
        if isQuoted {
            step()
            while true {
                guard let byte = source.peek() else {
                    throw error(
                        firstLine, firstColumn, "expected the closing quote of this cell, found the end")
                }
                step()
                if byte == UInt8(ascii: "\"") {
                    guard source.peek() == UInt8(ascii: "\"") else { break }
                    step()
                }
                try spend(&budget)
                bytes.append(byte)
            }
        } else {
            while let byte = source.peek(), !",\r\n".utf8.contains(byte) {
                guard byte != UInt8(ascii: "\"") else {
                    throw error(
                        line, column,
                        "expected no quote within a cell that does not begin with one; quote the cell and double"
                            + " the quote")
                }
                step()
                try spend(&budget)
                bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error(firstLine, firstColumn, "expected UTF-8 in this cell")
        }
        return Cell(text: text, isQuoted: isQuoted, line: firstLine, column: firstColumn)
    }

    private mutating func endCell() throws -> Bool {
        switch source.peek() {
        case nil:
            try source.throwIfFailed()
            return true
        case UInt8(ascii: ","):
            step()
            return false
        case UInt8(ascii: "\r"):
            step()
            if source.peek() == UInt8(ascii: "\n") { step() }
            return true
        case UInt8(ascii: "\n"):
            step()
            return true
        default: throw error(line, column, "expected a comma or the end of the line after the closing quote")
        }
    }

    private mutating func spend(_ budget: inout Int) throws {
        budget -= 1
        if budget < 0 { throw error(line, column, "expected rows of at most \(Self.longestRow) bytes") }
    }

    /// Consumes a byte and counts it if it begins a character.
    private mutating func step() {
        guard let byte = source.peek() else { return }
        source.advance()
        if byte == UInt8(ascii: "\r"), source.peek() == UInt8(ascii: "\n") { return }
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }

    private func error(_ line: Int, _ column: Int, _ reason: String) -> CSVError {
        CSVError(file: name, place: (line, column), reason: reason)
    }
}

package struct CSVError: Error, CustomStringConvertible {
    package let file: String
    /// Line and column, counted from 1; nil when it cannot be read at all.
    package let place: (line: Int, column: Int)?
    package let reason: String

    package var description: String {
        guard let place else { return "\(file): \(reason)" }
        return "\(file): line \(place.line), column \(place.column): \(reason)"
    }
}

private struct ByteSource {
    private var file: FileHandle?
    private var bytes: [UInt8] = []
    private var next = 0
    private var failure: (any Error)?

    init(file: FileHandle) { self.file = file }

    init(bytes: Data) { self.bytes = [UInt8](bytes) }

    /// The byte `ahead` of the next one; nil after the end.
    mutating func peek(_ ahead: Int = 0) -> UInt8? {
        while next + ahead >= bytes.count {
            guard let file else { return nil }
            do {
                let more = try file.read(upToCount: 1 << 16) ?? Data()
                if more.isEmpty { self.file = nil }
                bytes = Array(bytes[next...]) + more
                next = 0
            } catch {
                failure = error
                self.file = nil
            }
        }
        return bytes[next + ahead]
    }

    mutating func advance() { if next < bytes.count { next += 1 } }

    func throwIfFailed() throws { if let failure { throw failure } }
}
