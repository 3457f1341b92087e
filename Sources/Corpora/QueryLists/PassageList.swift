import Foundation
import SystemIO

/// A table of passages of one recording, with the columns reference, begin and end in seconds.
///
/// Answers may have a score. A truth may state all that is known of an airing, the length of the recording and its catalog. It
/// has `false` in the column required for passages that may be found and need not be. It may have the column annotator, who is
/// named in every row then.
package struct PassageList: Sendable {
    package struct Row: Sendable {
        package let reference: String
        package let seconds: ClosedRange<Double>
        package let score: Double?
        package let isRequired: Bool
        package let kind: String?
        package let annotator: String?
        /// The stretch of the reference, in seconds.
        package let referenceSeconds: ClosedRange<Double>?
        package let frequencySkew: Double?
        package let timeSkew: Double?
        package let fadeInSeconds: Double?
        package let fadeOutSeconds: Double?
        /// The stretch of the recording with a voice over it, in seconds.
        package let voiceOver: ClosedRange<Double>?
        fileprivate let cells: ListRow

        package var line: Int { cells.line }

        /// What is wrong with a cell.
        package func error(_ column: String, _ message: String) -> ConfigurationError {
            cells.error(column, message)
        }
    }

    package let rows: [Row]
    /// SHA-256 of the table, in hexadecimal.
    package let digest: String
    /// The length of the recording; nil if no row states it.
    package private(set) var recordingSeconds: Double?
    /// All references, in the order of the table; nil if it names none beside passages.
    ///
    /// Each has a row without begin and end.
    package private(set) var catalog: [String]?

    private static let most = 1e7
    private static let columns = [
        "reference", "begin", "end", "score", "required", "kind", "annotator", "referenceBegin",
        "referenceEnd", "frequencySkew", "timeSkew", "fadeInSeconds", "fadeOutSeconds", "voiceOverBegin",
        "voiceOverEnd", "recordingSeconds",
    ]

    /// Reads a table of answers.
    ///
    /// - Throws: ``ConfigurationError`` with line and column, also for a range whose end is before its beginning.
    package init(answers path: String) throws {
        var rows: [Row] = []
        digest = try Self.read(path) { rows.append(try Row($0, most: Self.most)) }
        self.rows = rows
    }

    /// Reads a table of truth.
    ///
    /// - Throws: ``ConfigurationError`` with line and column. Required passages of one reference and annotator must not
    ///   overlap.
    package init(truth path: String) throws {
        var rows: [Row] = []
        var names: [ListRow] = []
        var length: Double?
        digest = try Self.read(path) { cells in
            if let seconds = try cells.number("recordingSeconds", in: 1e-3...Self.most, "seconds") {
                if let length, seconds != length {
                    throw cells.error(
                        "recordingSeconds",
                        "expected \(formatNumber(length)) as in the rows before, found \(formatNumber(seconds))"
                    )
                }
                length = seconds
            }
            if cells.text("begin") == nil, cells.text("end") == nil {
                names.append(cells)
            } else {
                rows.append(try Row(cells, most: Self.most))
            }
        }
        self.rows = rows
        recordingSeconds = length
        if !names.isEmpty {
            let catalog = try names.map { try $0.required("reference") }
            self.catalog = catalog
            try requireReferences(of: catalog)
        }
        if let length { try requireEnds(upTo: length, of: length) }
        try requireDisjointRows(of: path)
    }

    private func requireDisjointRows(of path: String) throws {
        let required = rows.filter(\.isRequired).sorted { $0.seconds.lowerBound < $1.seconds.lowerBound }
        var last: [[String?]: Row] = [:]
        for row in required {
            if let before = last[[row.reference, row.annotator]],
                row.seconds.lowerBound < before.seconds.upperBound
            {
                throw ConfigurationError(
                    file: path, line: max(row.line, before.line),
                    message: "overlaps the passage of \(row.reference) on line \(min(row.line, before.line))")
            }
            last[[row.reference, row.annotator]] = row
        }
        if rows.contains(where: { $0.annotator != nil }),
            let nameless = rows.first(where: { $0.annotator == nil })
        {
            throw ConfigurationError(
                file: path, line: nameless.line, message: "the annotator is missing; other rows have one")
        }
    }

    /// The annotators, sorted by name; empty for a truth that names none.
    package var annotators: [String] { Set(rows.compactMap(\.annotator)).sorted() }

    /// - Parameters:
    ///   - latest: the latest end of a passage.
    ///   - remedy: more words of the error.
    /// - Throws: ``ConfigurationError`` with line and column for a passage that begins behind the end of the recording, or ends
    ///   behind `latest`.
    package func requireEnds(upTo latest: Double, of seconds: Double, remedy: String = "") throws {
        for row in rows {
            for (column, time, most) in [
                ("begin", row.seconds.lowerBound, seconds), ("end", row.seconds.upperBound, latest),
            ] where time > most {
                throw row.error(
                    column,
                    "expected \(column) from 0 to \(formatNumber(seconds)) s, the end of the recording, "
                        + "found \(formatNumber(time)) s\(remedy)")
            }
        }
    }

    /// - Throws: ``ConfigurationError`` with line and column for a passage of a reference that is not in the catalog.
    package func requireReferences(of catalog: [String]) throws {
        let known = Set(catalog)
        for row in rows where !known.contains(row.reference) {
            throw row.error(
                "reference",
                "expected one of the \(known.count) references of the catalog, found \"\(row.reference.prefix(80))\""
                    + catalog.suggestion(for: row.reference))
        }
    }

    /// - Returns: the digest of the table.
    private static func read(_ path: String, row: (ListRow) throws -> Void) throws -> String {
        guard let bytes = FileContents.prefix(of: path) else {
            throw ConfigurationError(
                file: path, message: "cannot be read: \(String(cString: strerror(errno)))")
        }
        var table = try ListTable(Data(bytes), file: path, required: ["reference", "begin", "end"])
        try table.refuseMisspelt(columns)
        while let next = try table.next() { try row(next) }
        return Digest.sha256(bytes)
    }
}

extension PassageList.Row {
    fileprivate init(_ cells: ListRow, most: Double) throws {
        func range(
            _ first: String, _ second: String, in bounds: ClosedRange<Double>
        ) throws -> ClosedRange<Double>? {
            guard cells.text(first) != nil || cells.text(second) != nil else { return nil }
            func seconds(_ column: String) throws -> Double {
                _ = try cells.required(column)
                return try cells.number(column, in: bounds, "\(column) in seconds") ?? 0
            }
            let (begin, end) = (try seconds(first), try seconds(second))
            guard begin < end else {
                throw cells.error(
                    second,
                    "expected \(second) after \(formatNumber(begin)) s, found \(formatNumber(end)) s")
            }
            return begin...end
        }
        func number(_ column: String, _ bounds: ClosedRange<Double>) throws -> Double? {
            try cells.number(column, in: bounds, column)
        }
        guard let seconds = try range("begin", "end", in: 0...most) else {
            throw cells.error("begin", "expected something in begin, found nothing")
        }
        let required = cells.text("required") ?? "true"
        guard ["true", "false"].contains(required) else {
            throw cells.error("required", "expected true or false, found \"\(required.prefix(40))\"")
        }
        reference = try cells.required("reference")
        self.seconds = seconds
        score = try cells.number("score", in: -1e300...1e300, "a score")
        isRequired = required == "true"
        kind = cells.text("kind")
        annotator = cells.text("annotator")
        referenceSeconds = try range("referenceBegin", "referenceEnd", in: -most...most)
        frequencySkew = try number("frequencySkew", -1...most)
        timeSkew = try number("timeSkew", -1...most)
        fadeInSeconds = try number("fadeInSeconds", 0...most)
        fadeOutSeconds = try number("fadeOutSeconds", 0...most)
        voiceOver = try range("voiceOverBegin", "voiceOverEnd", in: 0...most)
        self.cells = cells
    }
}
