import AudioCore
import Foundation
import SystemIO

/// A stored run to compare others with: one JSON file with a line for each cell, for readable diffs.
///
/// A cell's `positives` and `negatives` hold one character a trial (``TrialResult/character``). Its magnitudes hold
/// one number a trial to four significant digits, scores to nine, positives first, with null for none.
public struct Baseline: Sendable {
    package static let schemaVersion = 4
    /// The formats that are read.
    ///
    /// From 3 on the numbers of a trial are those of all measures, and cells have the parts of their queries. From 4 on a
    /// cell has the digest of each query.
    private static let readVersions = 2...schemaVersion

    /// The format of its file.
    package let format: Int
    package let identity: ScoredRun.Identity
    package let cells: [StoredCell]

    package struct StoredCell: Codable, Hashable {
        var degradation: String
        var severity: String
        var lengthSeconds: Double
        var queryDigest: String
        var queryParts: [String: String]?
        /// The digests of the queries, positives first; nil if one is unknown.
        var queries: [String]?
        var positives: String
        var negatives: String
        var magnitudes: [String: [Double?]]

        var key: CellScore.Key {
            CellScore.Key(degradation: degradation, severity: severity, lengthSeconds: lengthSeconds)
        }
    }

    private struct Header: Codable {
        var schemaVersion: Int
        var run: ScoredRun.Identity
    }

    /// What a file of any format has.
    private struct Format: Decodable {
        var schemaVersion: Int
    }

    private struct Cells: Decodable {
        var cells: [StoredCell]
    }

    package init(_ run: ScoredRun) {
        format = Self.schemaVersion
        identity = run.identity
        cells = run.cells.map { cell in
            let positives = cell.trials.filter(\.isPositive)
            let negatives = cell.trials.filter { !$0.isPositive }
            var magnitudes: [String: [Double?]] = [:]
            let results = cell.ordered.map(\.result)
            let digests = cell.ordered.compactMap(\.digest)
            for name in Set(results.flatMap(\.numbers.keys)) {
                magnitudes[name] = results.map {
                    $0.numbers[name].map { Self.rounded($0, digits: TrialResult.digits(of: name)) }
                }
            }
            return StoredCell(
                degradation: cell.key.degradation, severity: cell.key.severity,
                lengthSeconds: cell.key.lengthSeconds, queryDigest: cell.queryDigest,
                queryParts: cell.queryParts, queries: digests.count == results.count ? digests : nil,
                positives: String(positives.map(\.result.character)),
                negatives: String(negatives.map(\.result.character)), magnitudes: magnitudes)
        }
    }

    /// Reads a baseline.
    ///
    /// - Throws: ``GateError`` that names the file and what was expected there.
    public init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw GateError("\(path): cannot be read")
        }
        do {
            format = try JSONDecoder().decode(Format.self, from: data).schemaVersion
            if let refusal = Release.refusal(ofFormat: format, known: Self.readVersions) {
                throw GateError(
                    "\(path): \(refusal)", kind: format < Self.schemaVersion ? .earlierFormat : nil)
            }
            identity = try JSONDecoder().decode(Header.self, from: data).run
            cells = try JSONDecoder().decode(Cells.self, from: data).cells
        } catch let error as DecodingError {
            let text = String(decoding: data, as: UTF8.self)
            let isWhole = text.last { !$0.isWhitespace } == "}"
            throw GateError(
                "\(path):\(isWhole ? "" : "\(text.count { $0.isNewline } + 1):") is not a baseline: "
                    + (isWhole ? error.place : "it ends in the middle") + Self.remedy)
        }
        var lines: [CellScore.Key: Int] = [:]
        for (number, cell) in cells.enumerated() {
            let line = Self.line(ofCell: number, in: data)
            if let first = lines.updateValue(line, forKey: cell.key) {
                throw GateError(
                    "\(path):\(line): cell \(cell.key.words): is on line \(first), too; expected each cell once"
                        + Self.remedy)
            }
            let place = "\(path):\(line): cell \(cell.key.words)"
            let results = cell.positives + cell.negatives
            if let bad = results.first(where: { TrialResult(character: $0) == nil }) {
                throw GateError("\(place): \"\(bad)\" is no outcome\(Self.remedy)")
            }
            if let queries = cell.queries, queries.count != results.count {
                throw GateError(
                    "\(place): has \(queries.count) queries for \(results.count.counting("trial"))\(Self.remedy)"
                )
            }
            for (name, values) in cell.magnitudes where values.count != results.count {
                throw GateError(
                    "\(place): \(name) has \(values.count) numbers for \(results.count.counting("trial"))\(Self.remedy)"
                )
            }
        }
    }

    private static let remedy = "; restore it, or record it again with `earshot baseline accept`"
    private static let cellsOpen = "\"cells\" : ["

    /// The line of a cell, from 1, in a file as ``write(to:)`` writes it.
    private static func line(ofCell number: Int, in data: Data) -> Int {
        let lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        return (lines.firstIndex { $0.hasSuffix(cellsOpen) } ?? -1) + 2 + number
    }

    package func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let header = String(
            decoding: try encoder.encode(Header(schemaVersion: Self.schemaVersion, run: identity)),
            as: UTF8.self)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try cells.map { "    " + String(decoding: try encoder.encode($0), as: UTF8.self) }
        // The cells go in before the header's closing brace.
        let text =
            String(header.dropLast(2)) + ",\n  \(Self.cellsOpen)\n" + lines.joined(separator: ",\n")
            + "\n  ]\n}\n"
        try AtomicFile.write(text, to: path)
    }

    private static func rounded(_ value: Double, digits: Int) -> Double {
        guard value.isFinite, value != 0 else { return value == 0 ? 0 : 1e300 }
        let scale = pow(10, Double(digits - 1) - floor(log10(abs(value))))
        // A scale below the least normal number would lose the value, which then needs no rounding.
        guard scale.isFinite, scale.isNormal else { return scale.isFinite ? value : 0 }
        return (value * scale).rounded() / scale
    }
}
