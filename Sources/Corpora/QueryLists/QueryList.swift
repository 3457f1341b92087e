import Foundation
import SystemIO

/// A list of recorded queries with their right answers.
///
/// The first line tells the three kinds of lists apart. Tables of truth have a header with `query` and `reference`.
/// Lists of the MIREX task Audio Fingerprinting have two fields a line. `annotations.csv` and `matches.csv` of
/// Pexeso's benchmark toolkit have a header with `query_id` and `reference_id`.
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
        /// The chain of degradations as JSON, as `earshot degrade` and `rerecord` write it; nil where the list does not say.
        package var chain: String?
        /// The length of its cell in seconds; nil leaves it to its own length.
        package var lengthSeconds: Double?
        package var line: Int
    }

    package let path: String
    package let format: Format
    package let entries: [Entry]
    /// The columns of a table of truth that are tags.
    package let tags: [String]

    /// Reads a list.
    ///
    /// - Throws: ``ConfigurationError`` with file, line and column, and what was expected there.
    package init(path: String) throws {
        guard let bytes = FileContents.prefix(of: path) else {
            throw ConfigurationError(file: path, message: "the list of queries cannot be read")
        }
        try self.init(Data(bytes), path: path)
    }

    /// Reads a list from memory, which errors call `path`.
    package init(_ data: Data, path: String) throws {
        self.path = path
        var tags: [String] = []
        let first = data.prefix { $0 != UInt8(ascii: "\n") }
        let names = Set(
            String(decoding: first, as: UTF8.self).split { ",\r\u{FEFF}\"".contains($0) }.map(String.init))
        if names.contains("query_id") {
            format = names.contains("tempo") || names.contains("pitch") ? .annotations : .matches
            entries = try Self.pexeso(data, path: path)
        } else if names.contains("query") {
            format = .truth
            (entries, tags) = try Self.truth(data, path: path)
        } else if first.contains(UInt8(ascii: ",")), !first.contains(UInt8(ascii: "\t")) {
            throw ConfigurationError(
                file: path, line: 1,
                message: "column 1: expected a header with the columns query and reference, or query_id and "
                    + "reference_id; or no table but two names a line, separated by a tab")
        } else {
            format = .mirex
            entries = try Self.mirex(data, path: path)
        }
        self.tags = tags
        if entries.isEmpty {
            throw ConfigurationError(file: path, message: "the list holds no query")
        }
    }
}

extension QueryList {
    package static let truthColumns = [
        "query", "reference", "offsetSeconds", "offsetToleranceSeconds", "frequencySkew", "timeSkew",
        "startSeconds", "endSeconds", "degradation", "severity", "severityValue", "lengthSeconds", "chain",
    ]
    package static let passedOverColumns = [
        "trial", "source", "skewChangePerSecond", "snrDecibels", "sampleRateHertz", "sha256",
    ]

    /// Reads a table of truth: one row for each query and reference.
    ///
    /// A negative has no reference.
    ///
    /// Columns of any other name are tags: together they name the degradation. A column without a name is refused, and so is
    /// one whose name is nearly that of a known column.
    static func truth(_ data: Data, path: String) throws -> (entries: [Entry], tags: [String]) {
        var table = try ListTable(data, file: path, required: ["query", "reference"])
        let known = truthColumns + passedOverColumns
        try table.refuseMisspelt(known)
        let tags = table.columns.filter { !known.contains($0) }
        var entries: [Entry] = []
        var positions: [String: Int] = [:]
        var names = QueryNames()
        while let row = try table.next() {
            let entry = try entry(row, tags: tags)
            try names.add(entry.query) { row.error("query", $0) }
            let key = "\(entry.query)\n\(String(describing: entry.part))"
            guard let position = positions[key] else {
                positions[key] = entries.count
                entries.append(entry)
                continue
            }
            try entries[position].add(entry, row)
        }
        return (entries, tags)
    }

    private static func entry(_ row: ListRow, tags: [String]) throws -> Entry {
        var entry = Entry(query: try row.required("query"), rights: [], line: row.line)
        let seconds = -1e6...1e6
        let offset = try row.number("offsetSeconds", in: seconds, "seconds")
        let skew = -0.5...0.5
        let skewMeaning = "a fraction (0.02 for 2 %)"
        entry.frequencySkew = try row.number("frequencySkew", in: skew, skewMeaning)
        entry.timeSkew = try row.number("timeSkew", in: skew, skewMeaning)
        entry.offsetToleranceSeconds = try row.number("offsetToleranceSeconds", in: 0...1000, "seconds")
        entry.lengthSeconds = try row.number("lengthSeconds", in: 0...1e6, "seconds")
        let start = try row.number("startSeconds", in: 0...1e6, "seconds")
        let end = try row.number("endSeconds", in: 0...1e6, "seconds")
        if start != nil || end != nil {
            guard let end, end > start ?? 0 else {
                throw row.error(
                    "endSeconds", "expected a number above startSeconds")
            }
            entry.part = (start ?? 0)...end
        }
        if let reference = row.text("reference") {
            entry.rights = [
                Right(
                    reference: reference, offsetSeconds: offset, line: row.line,
                    column: row.place("reference"))
            ]
        } else if offset != nil {
            throw row.error("offsetSeconds", "expected nothing, because the row names no reference")
        }
        let words = tags.compactMap { name in row.text(name).map { "\(name) \($0)" } }
        let parts = [row.text("degradation")].compactMap { $0 } + words
        entry.degradation = parts.joined(separator: ", ")
        entry.severity = row.text("severity") ?? ""
        entry.severityValue = try row.number("severityValue", in: -1e9...1e9, "a number")
        entry.chain = row.text("chain")
        return entry
    }
}

/// The names of a list's queries so far.
private struct QueryNames {
    private var names: Set<String> = []

    /// Adds a name, which may have been added before.
    ///
    /// - Throws: The error of `refusal` for a name that is equal as text and yet may be that of another file, because its
    ///   letters are composed differently.
    mutating func add(_ name: String, refusal: (String) -> ConfigurationError) throws {
        let (isNew, known) = names.insert(name)
        guard !isNew, !known.utf8.elementsEqual(name.utf8) else { return }
        throw refusal("expected \(name) in the same bytes as before; letters are composed differently here")
    }
}

extension QueryList.Entry {
    fileprivate mutating func add(_ other: QueryList.Entry, _ row: ListRow) throws {
        guard !rights.isEmpty, !other.rights.isEmpty else {
            throw row.error(
                "reference",
                "expected a reference in each row of a query that has several (the first is line \(line))")
        }
        for (column, isSame) in [
            ("frequencySkew", other.frequencySkew == frequencySkew), ("timeSkew", other.timeSkew == timeSkew),
            ("degradation", other.degradation == degradation), ("severity", other.severity == severity),
        ] where !isSame {
            throw row.error(column, "expected the same as in line \(line), which is about the same query")
        }
        rights += other.rights
    }
}

extension QueryList {
    /// Reads the list form of the MIREX task Audio Fingerprinting: a query and its reference on each line.
    ///
    /// A tab separates the two, or blanks if neither name holds one. A line with nothing after the tab is a negative,
    /// which MIREX itself does not have.
    package static func mirex(_ data: Data, path: String) throws -> [Entry] {
        var entries: [Entry] = []
        var positions: [String: Int] = [:]
        var names = QueryNames()
        for (number, line) in try NumberedLines.of(data, path: path) {
            if line.allSatisfy(\.isWhitespace) { continue }
            let (query, reference, column) = try fields(of: line, file: path, line: number)
            try names.add(query) { ConfigurationError(file: path, line: number, message: "column 1: \($0)") }
            let right =
                reference.isEmpty ? [] : [Right(reference: reference, line: number, column: column)]
            if let position = positions[query] {
                guard !right.isEmpty, !entries[position].rights.isEmpty else {
                    throw ConfigurationError(
                        file: path, line: number,
                        message: "column 1: expected a query with a reference; \(query) is on line "
                            + "\(entries[position].line) too, and one of them names none")
                }
                entries[position].rights += right
            } else {
                positions[query] = entries.count
                entries.append(Entry(query: query, rights: right, line: number))
            }
        }
        return entries
    }

    private static func fields(
        of line: Substring, file: String, line number: Int
    ) throws -> (query: String, reference: String, column: Int) {
        let hasTab = line.contains("\t")
        let fields =
            hasTab
            ? line.split(separator: "\t", omittingEmptySubsequences: false)
            : line.split { $0 == " " }
        guard fields.count == 2, !fields[0].isEmpty else {
            throw ConfigurationError(
                file: file, line: number,
                message: "column 1: expected a query and a reference separated by a tab"
                    + (hasTab ? "" : ", or by a blank where names hold none")
                    + ", found \(fields.count) fields")
        }
        let column = line.distance(from: line.startIndex, to: fields[1].startIndex) + 1
        return (String(fields[0]), fields[1].trimmingCharacters(in: .whitespaces), column)
    }
}

extension QueryList {
    /// A row of Pexeso's tables: a range of seconds of a query, and the equal range of a reference.
    fileprivate struct Segment {
        let query: String
        let reference: String
        /// In the query and in the reference; nil where whole files are meant.
        let places: (query: ClosedRange<Double>, reference: ClosedRange<Double>)?
        let row: ListRow
    }

    /// Ranges in whole seconds overlap by up to two if the sounds only follow one another.
    private static let leastOverlap = 3.0

    /// Reads `annotations.csv` or `matches.csv` of Pexeso's Audio Fingerprinting Benchmark Toolkit.
    ///
    /// A query of that toolkit is a chain of passages of several references. Each passage is a query here. Times are
    /// whole seconds, so the place in the reference is known to about a second. A passage that overlaps another one
    /// by three seconds or more makes that one's reference right too.
    package static func pexeso(_ data: Data, path: String) throws -> [Entry] {
        var table = try ListTable(data, file: path, required: ["reference_id", "query_id"])
        var segments: [Segment] = []
        var names = QueryNames()
        while let row = try table.next() {
            segments.append(try segment(row))
            try names.add(segments[segments.count - 1].query) { row.error("query_id", $0) }
        }
        let queries = Dictionary(grouping: segments.indices) { segments[$0].query }
        var entries: [Entry] = []
        for (index, segment) in segments.enumerated() {
            let others = (queries[segment.query] ?? []).filter { $0 != index }
            // A second row about the same seconds is one more right answer to one query.
            let isKnown = others.contains {
                $0 < index && segments[$0].places?.query == segment.places?.query
            }
            if !isKnown { entries.append(try entry(segment, among: others.map { segments[$0] })) }
        }
        return entries
    }

    private static func segment(_ row: ListRow) throws -> Segment {
        func seconds(_ column: String) throws -> Double? {
            try row.number(column, in: 0...1e6, "whole seconds")
        }
        let names = ["query_begin", "query_end", "reference_begin", "reference_end"]
        let times = try names.map(seconds)
        let known = times.compactMap { $0 }
        guard known.isEmpty || known.count == names.count else {
            let missing = zip(names, times).first { $0.1 == nil }?.0 ?? ""
            throw row.error(missing, "expected all four times of a passage or none; \(missing) is missing")
        }
        if known.count == names.count {
            for (begin, end) in [(0, 1), (2, 3)] where known[begin] >= known[end] {
                throw row.error(
                    names[end], "expected more than \(names[begin]), \(formatNumber(known[begin]))")
            }
        }
        return Segment(
            query: try row.required("query_id"), reference: try row.required("reference_id"),
            places: known.isEmpty ? nil : (known[0]...known[1], known[2]...known[3]), row: row)
    }

    private static func entry(_ segment: Segment, among others: [Segment]) throws -> Entry {
        let row = segment.row
        let tempo = try row.number("tempo", in: 10...1000, "percent of the original") ?? 100
        var entry = Entry(query: segment.query, rights: [right(segment)], line: row.line)
        if let places = segment.places {
            entry.part = places.query
            entry.offsetToleranceSeconds = max(1, tempo / 100)
        }
        for other in others where other.overlaps(segment, by: leastOverlap) {
            if !entry.rights.contains(where: { $0.reference == other.reference }) {
                // The place at this passage's first second is not scored.
                var right = right(other)
                right.offsetSeconds = nil
                entry.rights.append(right)
            }
        }
        entry.degradation = try PexesoTags(row, tempo: tempo).text
        return entry
    }

    private static func right(_ segment: Segment) -> Right {
        Right(
            reference: segment.reference, offsetSeconds: segment.places?.reference.lowerBound,
            line: segment.row.line, column: segment.row.place("reference_id"))
    }
}

extension QueryList.Segment {
    fileprivate func overlaps(_ other: Self, by seconds: Double) -> Bool {
        guard let mine = places?.query, let its = other.places?.query, mine != its else { return true }
        return min(mine.upperBound, its.upperBound) - max(mine.lowerBound, its.lowerBound) >= seconds
    }
}

/// The changes that annotations name, in few words, so that there are few cells.
private struct PexesoTags {
    let text: String

    init(_ row: ListRow, tempo: Double) throws {
        let pitch = try row.number("pitch", in: -10_000...10_000, "cents") ?? 0
        var words: [String] = []
        let tempoRatio = tempo / 100
        let pitchRatio = pow(2, pitch / 1200)
        switch (tempo != 100, pitch != 0) {
        case (true, true): words.append("speed \(Self.size(of: tempoRatio))")
        case (true, false): words.append("tempo \(Self.size(of: tempoRatio))")
        case (false, true): words.append("pitch \(Self.size(of: pitchRatio))")
        case (false, false): break
        }
        for (column, word) in [
            ("echo_delay", "echo"), ("high_pass", "high-pass"), ("low_pass", "low-pass"),
            ("reverb", "reverb"),
        ] where try (row.number(column, in: 0...1e6, "a number") ?? 0) != 0 { words.append(word) }
        if let kind = row.text("noise_type") {
            let colour = row.text("noise_color").map { "\($0) noise" } ?? "noise of a file"
            let ratio = try row.number("noise_snr", in: -200...200, "decibels")
            words.append(
                ([kind == "pulsating" ? "pulsating \(colour)" : colour]
                    + [ratio.map { "\(formatNumber($0)) dB" }].compactMap { $0 }).joined(separator: " "))
        }
        text = words.joined(separator: ", ")
    }

    /// The toolkit's own classes of changes: up to 7 %, up to 21 %, and more.
    private static func size(of ratio: Double) -> String {
        let change = ratio < 1 ? 1 - ratio : 1 - 1 / ratio
        return change <= 0.07 ? "up to 7 %" : change <= 0.21 ? "up to 21 %" : "more than 21 %"
    }
}
