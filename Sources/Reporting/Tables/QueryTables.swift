// SPDX-License-Identifier: GPL-3.0-or-later
import AudioCore
import Degradations
import Evaluation
import Foundation
import Matchers
import SystemIO

/// Writes truth and answers in the formats of other tools.
package struct QueryTables {
    private let records: [TrialRecord]
    private let rows: [TruthRow]

    package init(_ records: [TrialRecord]) {
        self.records = records
        rows = records.flatMap(TruthRow.rows(of:))
    }

    /// The queries that are negative only against a part of the references; no table holds them.
    package var leftOut: Int { records.count { $0.trial.fold != nil } }

    /// Writes `truth.csv`, `mirex-truth.txt`, `annotations.csv` and, with `references`, `references.txt`.
    ///
    /// Only `truth.csv` holds negatives. The formats of MIREX and Pexeso have none.
    ///
    /// - Parameter references: the ids of enrolled references, where they are known.
    /// - Returns: the path of `truth.csv`.
    @discardableResult
    package func writeTruth(references: [String]?, to folder: String) throws -> String {
        let path = folder + "/truth.csv"
        try AtomicFile.write(TruthRow.table.csv(rows), to: path)
        let right = rows.compactMap { row in row.reference.map { (row.record.fileName, $0) } }
        try AtomicFile.write(Self.list(right), to: folder + "/mirex-truth.txt")
        let passages = rows.compactMap { row in
            row.reference.map {
                PexesoRow(
                    row.record, reference: $0, offsetSeconds: row.offsetSeconds,
                    timeSkew: row.record.truth?.timeSkew)
            }
        }
        try AtomicFile.write(PexesoRow.annotations.csv(passages), to: folder + "/annotations.csv")
        if let references {
            try AtomicFile.write(
                references.sorted().map { $0 + "\n" }.joined(), to: folder + "/references.txt")
        }
        return path
    }

    /// Writes `mirex-results.txt`, the best candidates, and `matches.csv`, the claims.
    ///
    /// - Parameter threshold: the score from which a candidate is claimed; nil leaves it to the matcher.
    package func writeAnswers(threshold: Double?, to folder: String) throws {
        let answered = records.filter { $0.isOffered && $0.error == nil && $0.trial.fold == nil }
        let best = answered.compactMap { record in
            record.candidates.first.map { (record.fileName, $0.referenceID) }
        }
        try AtomicFile.write(Self.list(best), to: folder + "/mirex-results.txt")
        let matches = answered.compactMap { record in
            JudgedTrial(record, threshold: threshold).claim.map { claim in
                PexesoRow(
                    record, reference: claim.referenceID, offsetSeconds: claim.offsetSeconds,
                    timeSkew: claim.timeSkew)
            }
        }
        try AtomicFile.write(PexesoRow.matches.csv(matches), to: folder + "/matches.csv")
    }

    /// Two names a line, separated by a tab; names with a tab or a line break are left out.
    private static func list(_ pairs: [(String, String)]) -> String {
        pairs.filter { pair in
            ![pair.0, pair.1].contains { $0.unicodeScalars.contains { "\t\n\r".unicodeScalars.contains($0) } }
        }.map { "\($0)\t\($1)\n" }.joined()
    }
}

/// One right answer of a query, or none for a negative.
struct TruthRow {
    let record: TrialRecord
    /// The reference that is right; nil for a negative.
    let reference: String?
    /// Reference time in seconds at the query's first sample, where it is known.
    let offsetSeconds: Double?

    /// The rows of a query, those whose place is known first.
    ///
    /// A query whose recording is left out of one catalog only has none: in the whole catalog it is no negative.
    static func rows(of record: TrialRecord) -> [TruthRow] {
        guard record.isOffered, record.trial.fold == nil else { return [] }
        guard record.trial.isPositive else {
            return [TruthRow(record: record, reference: nil, offsetSeconds: nil)]
        }
        let rows = record.truthReferences.map { reference -> TruthRow in
            let delta = record.truthOffsetDeltas[reference]
            let offset = record.truth?.offsetSeconds.flatMap { offset in delta.map { offset + $0 } }
            return TruthRow(record: record, reference: reference, offsetSeconds: offset)
        }
        return rows.filter { $0.offsetSeconds != nil } + rows.filter { $0.offsetSeconds == nil }
    }

    /// The columns that ``RecordedQueries`` reads, then how the query was made.
    static var table: Table<TruthRow> {
        Table([
            .init("query", exactText: { $0.record.fileName }),
            .init("reference", exactText: { $0.reference }),
            .init("offsetSeconds", number: { $0.offsetSeconds }),
            .init("offsetToleranceSeconds", number: { $0.truth?.offsetToleranceSeconds }),
            .init("frequencySkew", number: { $0.truth?.frequencySkew }),
            .init("timeSkew", number: { $0.truth?.timeSkew }),
            .init("startSeconds", number: { $0.record.trial.queryPart?.lowerBound }),
            .init("endSeconds", number: { $0.record.trial.queryPart?.upperBound }),
            .init("degradation", exactText: { $0.record.trial.cell.degradation }),
            .init("severity", exactText: { $0.record.trial.cell.severity }),
            .init("severityValue", number: { $0.record.trial.cell.severityValue }),
            .init("lengthSeconds", number: { $0.record.trial.cell.lengthSeconds }),
            .init("trial", exactText: { $0.record.trial.id }),
            .init("source", exactText: { $0.record.trial.source }),
            .init("skewChangePerSecond", number: { $0.truth?.skewChangePerSecond }),
            .init("snrDecibels", number: { $0.record.query?.snrDecibels }),
            .init("sampleRateHertz", count: { $0.record.query?.sampleRate ?? 0 }),
            .init("sha256", exactText: { $0.record.query?.digest }),
            .init("chain", exactText: { $0.record.trial.chain.json }),
        ])
    }

    /// The truth of a positive.
    private var truth: Truth? { reference == nil ? nil : record.truth }
}

extension TrialRecord {
    /// The file of the query, as its list names it or as it is exported.
    var fileName: String { trial.queryFile ?? trial.id.replacing("/", with: "_") + ".wav" }

    /// The file name without extension: Pexeso's name of a query.
    var queryID: String {
        URL(fileURLWithPath: fileName).deletingPathExtension().lastPathComponent
    }
}

/// A row of `annotations.csv` or `matches.csv` of Pexeso's Audio Fingerprinting Benchmark Toolkit, in whole seconds.
struct PexesoRow {
    let record: TrialRecord
    let reference: String
    /// The passage in the query's file and in the reference, in seconds; nil where only files are known.
    let places: (query: Range<Int>, reference: Range<Int>)?

    /// A passage as long as the query.
    ///
    /// - Parameters:
    ///   - offsetSeconds: reference time at the query's first sample.
    ///   - timeSkew: reference seconds per query second − 1.
    init(_ record: TrialRecord, reference: String, offsetSeconds: Double?, timeSkew: Double?) {
        self.record = record
        self.reference = reference
        places = offsetSeconds.flatMap { offset in
            let pace = 1 + (timeSkew ?? 0)
            // Sound before the reference begins is no part of it.
            let lead = max(0, -offset / pace)
            let end = record.query?.durationSeconds ?? 0
            guard lead < end, pace > 0 else { return nil }
            let start = record.trial.queryPart?.lowerBound ?? 0
            return (
                Int(bounded: (start + lead).rounded(.down))..<Int(bounded: (start + end).rounded(.up)),
                Int(bounded: max(0, offset).rounded(.down))..<Int(bounded: (offset + end * pace).rounded(.up))
            )
        }
    }

    static var matches: Table<PexesoRow> { Table(place) }

    /// Tempo, pitch and noise come from the truth.
    static var annotations: Table<PexesoRow> {
        func without(_ names: String...) -> [Table<PexesoRow>.Column] {
            names.map { .init($0, exactText: { _ in nil }) }
        }
        return Table(
            place + [.init("tempo", count: { $0.percent }), .init("pitch", count: { $0.cents })]
                + without("echo_delay", "echo_decay", "high_pass", "low_pass", "reverb") + [
                    .init("noise_type", exactText: { $0.colour.map { _ in "continuous" } })
                ] + without("noise_file") + [.init("noise_color", exactText: { $0.colour })]
                + without("noise_seed") + [.init("noise_snr", count: { $0.decibels })]
                + without("merge_prev", "merge_prev_duration", "merge_next", "merge_next_duration"))
    }

    private static var place: [Table<PexesoRow>.Column] {
        [
            .init("reference_id", exactText: { $0.reference }),
            .init("query_id", exactText: { $0.record.queryID }),
            .init("reference_begin", count: { $0.places?.reference.lowerBound }),
            .init("reference_end", count: { $0.places?.reference.upperBound }),
            .init("query_begin", count: { $0.places?.query.lowerBound }),
            .init("query_end", count: { $0.places?.query.upperBound }),
        ]
    }

    private var percent: Int? { record.truth?.timeSkew.map { Int(bounded: (100 * (1 + $0)).rounded()) } }

    private var cents: Int? {
        record.truth?.frequencySkew.map { Int(bounded: (1200 * log2(1 + $0)).rounded()) }
    }

    private var noise: Noise? { record.trial.chain.last(Noise.self) }

    private var colour: String? { noise?.colour.rawValue }

    private var decibels: Int? { noise.map { Int(bounded: $0.snrDecibels.rounded()) } }
}
