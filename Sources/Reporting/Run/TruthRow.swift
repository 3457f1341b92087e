import Evaluation
import Foundation
import Matchers

/// One right answer of a query, or none for a negative: a row of the tables by which others get to know queries.
struct TruthRow {
    /// The query.
    let record: TrialRecord
    /// The reference that is right; nil for a negative.
    let reference: String?
    /// Reference time in seconds at the query's first sample, where it is known.
    let offsetSeconds: Double?

    /// The rows of a query, those whose place is known first.
    ///
    /// A query whose recording is left out of one catalog only has none: in the whole catalog it is no negative.
    static func rows(of record: TrialRecord) -> [TruthRow] {
        guard record.isOffered, record.fold == nil else { return [] }
        guard record.isPositive else { return [TruthRow(record: record, reference: nil, offsetSeconds: nil)] }
        let rows = record.truthReferences.map { reference -> TruthRow in
            let delta = record.truthOffsetDeltas[reference]
            let offset = record.truth?.offsetSeconds.flatMap { offset in delta.map { offset + $0 } }
            return TruthRow(record: record, reference: reference, offsetSeconds: offset)
        }
        return rows.filter { $0.offsetSeconds != nil } + rows.filter { $0.offsetSeconds == nil }
    }

    /// The columns that ``RecordedQueries`` reads, then how the query was made.
    static var table: CSVTable<TruthRow> {
        CSVTable(columns: [
            .init("query", text: { $0.record.fileName }),
            .init("reference", text: { $0.reference }),
            .init("offsetSeconds", number: { $0.offsetSeconds }),
            .init("offsetToleranceSeconds", number: { $0.truth?.offsetToleranceSeconds }),
            .init("frequencySkew", number: { $0.truth?.frequencySkew }),
            .init("timeSkew", number: { $0.truth?.timeSkew }),
            .init("startSeconds", number: { $0.record.queryPart?.lowerBound }),
            .init("endSeconds", number: { $0.record.queryPart?.upperBound }),
            .init("degradation", text: { $0.record.degradation }),
            .init("severity", text: { $0.record.severity }),
            .init("severityValue", number: { $0.record.severityValue }),
            .init("lengthSeconds", number: { $0.record.lengthSeconds }),
            .init("trial", text: { $0.record.trialID }),
            .init("source", text: { $0.record.source }),
            .init("skewChangePerSecond", number: { $0.truth?.skewChangePerSecond }),
            .init("snrDecibels", number: { $0.record.snrDecibels }),
            .init("sampleRateHertz", count: { $0.record.querySampleRate }),
            .init("sha256", text: { $0.record.queryDigest }),
            .init("chain", text: { $0.record.chain }),
        ])
    }

    /// What is known of where the query lies; nothing of a negative.
    private var truth: Truth? { reference == nil ? nil : record.truth }
}

extension TrialRecord {
    /// The file of the query: as its list names it, or as it is written beside its truth.
    var fileName: String { queryFile ?? trialID.replacing("/", with: "_") + ".wav" }

    /// The file without folders and extension, which is what Pexeso's tables call a query.
    var queryID: String {
        URL(fileURLWithPath: fileName).deletingPathExtension().lastPathComponent
    }

    /// The length of the query in seconds; 0 when it was never made.
    var querySeconds: Double {
        querySampleRate > 0 ? Double(queryFrames) / Double(querySampleRate) : 0
    }
}
