import Foundation
import SystemIO

extension QueryList {
    /// A row of Pexeso's tables: so many whole seconds of a query are so many of a reference.
    fileprivate struct Segment {
        let query: String
        let reference: String
        /// In the query and in the reference; nil where whole files are meant.
        let places: (query: ClosedRange<Double>, reference: ClosedRange<Double>)?
        let row: ListRow
    }

    /// Ranges in whole seconds overlap by up to two where the sounds only follow one another.
    private static let leastOverlap = 3.0

    /// Reads `annotations.csv` or `matches.csv` of Pexeso's Audio Fingerprinting Benchmark Toolkit.
    ///
    /// A query of that toolkit is a chain of passages of several references. Each passage is a query here: that
    /// part of the file. Where it begins in the reference is known to about a second, as times are whole ones.
    /// A passage that plays over another one for three seconds or more makes that one's reference right too.
    package static func pexeso(_ data: Data, path: String) throws -> [Entry] {
        var table = try ListTable(data, file: path, required: ["reference_id", "query_id"])
        var segments: [Segment] = []
        while let row = try table.next() { segments.append(try segment(row)) }
        let queries = Dictionary(grouping: segments.indices) { segments[$0].query }
        var entries: [Entry] = []
        for (index, segment) in segments.enumerated() {
            let others = (queries[segment.query] ?? []).filter { $0 != index }
            // A second row about the very same seconds is one more right answer to one query.
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
            entry.lengthSeconds = places.query.upperBound - places.query.lowerBound
        }
        for other in others where other.overlaps(segment, by: leastOverlap) {
            if !entry.rights.contains(where: { $0.reference == other.reference }) {
                // Where it lies at this passage's first second is not asked.
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

/// What annotations say was done to a passage, in few words, so that cells are not too many.
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
