import Foundation

/// A list of recorded queries with what is right for each.
///
/// Three kinds of lists are read, told apart by their first line: tables of our own (a header with `query` and
/// `reference`), lists of the MIREX task Audio Fingerprinting (two fields a line), and `annotations.csv` or
/// `matches.csv` of Pexeso's benchmark toolkit (a header with `query_id` and `reference_id`).
package struct QueryList: Sendable {
    package enum Format: String, Sendable {
        case truth = "a table of truth"
        case mirex = "a MIREX list"
        case annotations = "Pexeso annotations"
        case matches = "Pexeso matches"
    }

    package struct Right: Hashable, Sendable {
        package var reference: String
        package var offsetSeconds: Double?
        /// Where the name stands, counted from 1.
        package var line: Int
        /// The character of the line it begins at, counted from 1.
        package var column: Int
    }

    package struct Entry: Hashable, Sendable {
        package var query: String
        /// Which seconds of the file; nil for all.
        package var part: ClosedRange<Double>?
        package var rights: [Right]
        /// How far off offsets may be, in seconds; nil where they are exact.
        package var offsetToleranceSeconds: Double?
        /// f_query / f_reference − 1; nil where the list does not say.
        package var frequencySkew: Double?
        /// Reference seconds per query second − 1; nil where the list does not say.
        package var timeSkew: Double?
        /// What was done to it, in words; empty where the list does not say.
        package var degradation = ""
        package var severity = ""
        package var severityValue: Double?
        /// The length of its cell in seconds; nil leaves it to its own length.
        package var lengthSeconds: Double?
        /// The line it begins on, counted from 1.
        package var line: Int
    }

    package let path: String
    package let format: Format
    /// The queries in order.
    package let entries: [Entry]

    /// Reads a list.
    ///
    /// - Throws: ``ConfigurationError`` with file, line and column, and what was expected there.
    package init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(file: path, line: nil, message: "the list of queries cannot be read")
        }
        try self.init(data, path: path)
    }

    /// Reads a list from memory, which errors call `path`.
    package init(_ data: Data, path: String) throws {
        self.path = path
        let first = data.prefix { $0 != UInt8(ascii: "\n") }
        let names = Set(
            String(decoding: first, as: UTF8.self).split { ",\r\u{FEFF}\"".contains($0) }.map(String.init))
        if names.contains("query_id") {
            format = names.contains("tempo") || names.contains("pitch") ? .annotations : .matches
            entries = try Self.pexeso(data, path: path)
        } else if names.contains("query") {
            format = .truth
            entries = try Self.truth(data, path: path)
        } else if first.contains(UInt8(ascii: ",")), !first.contains(UInt8(ascii: "\t")) {
            throw ConfigurationError(
                file: path, line: 1,
                message: "column 1: expected a header with the columns query and reference, or query_id and "
                    + "reference_id; or no table but two names a line, separated by a tab")
        } else {
            format = .mirex
            entries = try Self.mirex(data, path: path)
        }
        if entries.isEmpty {
            throw ConfigurationError(file: path, line: nil, message: "the list holds no query")
        }
    }
}
