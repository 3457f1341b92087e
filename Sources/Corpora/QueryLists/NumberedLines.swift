import Foundation

/// The lines of a text file with their numbers, counted from 1.
enum NumberedLines {
    /// Splits UTF-8 text, with or without a byte-order mark, whose lines end as on any system.
    ///
    /// - Throws: ``ConfigurationError`` at the first line that is no text.
    static func of(_ data: Data, path: String) throws -> [(number: Int, text: Substring)] {
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return try lines.enumerated().map { place, bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ConfigurationError(file: path, line: place + 1, message: "expected text in UTF-8")
            }
            let line = place == 0 ? text.trimmingPrefix("\u{FEFF}") : text[...]
            return (place + 1, line.last == "\r" ? line.dropLast() : line)
        }
    }
}
