import Foundation

extension QueryList {
    package static let truthColumns = [
        "query", "reference", "offsetSeconds", "offsetToleranceSeconds", "frequencySkew", "timeSkew",
        "startSeconds", "endSeconds", "degradation", "severity", "severityValue", "lengthSeconds",
    ]
    package static let passedOverColumns = [
        "trial", "source", "skewChangePerSecond", "snrDecibels", "sampleRateHertz", "sha256", "chain",
    ]

    /// Reads a table of truth: a row for each query and reference, of a negative one without a reference.
    ///
    /// Columns of any other name are tags: together they name the degradation.
    package static func truth(_ data: Data, path: String) throws -> [Entry] {
        var table = try ListTable(data, file: path, required: ["query", "reference"])
        let tags = table.columns.filter { !truthColumns.contains($0) && !passedOverColumns.contains($0) }
        var entries: [Entry] = []
        var positions: [String: Int] = [:]
        while let row = try table.next() {
            let entry = try entry(row, tags: tags)
            let key = "\(entry.query)\n\(String(describing: entry.part))"
            guard let position = positions[key] else {
                positions[key] = entries.count
                entries.append(entry)
                continue
            }
            try entries[position].add(entry, row)
        }
        return entries
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
                    "endSeconds", "expected a second behind startSeconds, so that there is a query")
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
            throw row.error("offsetSeconds", "expected nothing, as the row names no reference")
        }
        let words = tags.compactMap { name in row.text(name).map { "\(name) \($0)" } }
        let parts = [row.text("degradation")].compactMap { $0 } + words
        entry.degradation = parts.joined(separator: ", ")
        entry.severity = row.text("severity") ?? ""
        entry.severityValue = try row.number("severityValue", in: -1e9...1e9, "a number")
        return entry
    }
}

extension QueryList.Entry {
    /// Adds another row of the same query: one more right answer.
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
