import Foundation
import SystemIO

/// A table of passages of one recording, with the columns reference, begin and end in seconds.
///
/// Answers may have a score. A truth may have a kind, and `false` in the column required for passages that may be found
/// and need not be. It may have the column annotator, who is named in every row then.
package struct PassageList: Sendable {
    package struct Row: Sendable {
        package let reference: String
        package let seconds: ClosedRange<Double>
        package let score: Double?
        package let isRequired: Bool
        package let kind: String?
        package let annotator: String?
        package let line: Int
    }

    package let rows: [Row]

    private static let most = 1e7

    /// Reads a table of answers.
    ///
    /// - Throws: ``ConfigurationError`` with line and column, also for a range whose end is before its beginning.
    package init(answers path: String) throws { rows = try Self.rows(path) }

    /// Reads a table of truth.
    ///
    /// - Throws: ``ConfigurationError`` with line and column. Required passages of one reference and annotator must not
    ///   overlap.
    package init(truth path: String) throws {
        rows = try Self.rows(path)
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

    private static func rows(_ path: String) throws -> [Row] {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw ConfigurationError(file: path, message: "cannot be read: \(error.localizedDescription)")
        }
        var table = try ListTable(data, file: path, required: ["reference", "begin", "end"])
        var rows: [Row] = []
        while let row = try table.next() {
            func seconds(_ column: String) throws -> Double {
                _ = try row.required(column)
                return try row.number(column, in: 0...most, "seconds") ?? 0
            }
            let (begin, end) = (try seconds("begin"), try seconds("end"))
            guard begin < end else {
                throw row.error(
                    "end", "expected an end after \(formatNumber(begin)) s, found \(formatNumber(end)) s")
            }
            let required = row.text("required") ?? "true"
            guard ["true", "false"].contains(required) else {
                throw row.error("required", "expected true or false, found \"\(required.prefix(40))\"")
            }
            rows.append(
                Row(
                    reference: try row.required("reference"), seconds: begin...end,
                    score: try row.number("score", in: -1e300...1e300, "a score"),
                    isRequired: required == "true", kind: row.text("kind"), annotator: row.text("annotator"),
                    line: row.line))
        }
        return rows
    }
}
