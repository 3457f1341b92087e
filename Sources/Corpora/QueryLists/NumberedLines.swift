import Foundation

/// The lines of a text file with their numbers, counted from 1.
enum NumberedLines {
    /// Splits UTF-8 text, with or without a byte-order mark, whose lines end as on any system.
    ///
    /// - Throws: ``ConfigurationError`` when it is no text.
    static func of(_ data: Data, path: String) throws -> [(number: Int, text: Substring)] {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationError(file: path, message: "expected text in UTF-8")
        }
        let lines = text.trimmingPrefix("\u{FEFF}").split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n"
        }
        return lines.enumerated().map { ($0.offset + 1, $0.element) }
    }
}
