import Evaluation
import Foundation

/// A row of `annotations.csv` or `matches.csv` of Pexeso's Audio Fingerprinting Benchmark Toolkit: so many whole
/// seconds of a query are so many of a reference.
struct PexesoRow {
    let record: TrialRecord
    let reference: String
    /// Where the passage lies in the query's file and in the reference, in whole seconds; nil where only files
    /// are known.
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
            // What sounds before the reference begins is no part of it.
            let lead = max(0, -offset / pace)
            let end = record.querySeconds
            guard lead < end, pace > 0 else { return nil }
            let start = record.queryPart?.lowerBound ?? 0
            return (
                Int((start + lead).rounded(.down))..<Int((start + end).rounded(.up)),
                Int(max(0, offset).rounded(.down))..<Int((offset + end * pace).rounded(.up))
            )
        }
    }

    /// The columns of `matches.csv`.
    static var matches: CSVTable<PexesoRow> { CSVTable(columns: place) }

    /// The columns of `annotations.csv`; tempo, pitch and noise are filled in where the truth tells them.
    static var annotations: CSVTable<PexesoRow> {
        CSVTable(
            columns: place + [
                .init("tempo", count: { $0.percent }),
                .init("pitch", count: { $0.cents }),
                .init("echo_delay", text: { _ in nil }), .init("echo_decay", text: { _ in nil }),
                .init("high_pass", text: { _ in nil }), .init("low_pass", text: { _ in nil }),
                .init("reverb", text: { _ in nil }),
                .init("noise_type", text: { $0.colour.map { _ in "continuous" } }),
                .init("noise_file", text: { _ in nil }),
                .init("noise_color", text: { $0.colour }),
                .init("noise_seed", text: { _ in nil }),
                .init("noise_snr", count: { $0.decibels }),
                .init("merge_prev", text: { _ in nil }), .init("merge_prev_duration", text: { _ in nil }),
                .init("merge_next", text: { _ in nil }), .init("merge_next_duration", text: { _ in nil }),
            ])
    }

    private static var place: [CSVTable<PexesoRow>.Column] {
        [
            .init("reference_id", text: { $0.reference }),
            .init("query_id", text: { $0.record.queryID }),
            .init("reference_begin", count: { $0.places?.reference.lowerBound }),
            .init("reference_end", count: { $0.places?.reference.upperBound }),
            .init("query_begin", count: { $0.places?.query.lowerBound }),
            .init("query_end", count: { $0.places?.query.upperBound }),
        ]
    }

    private var percent: Int? { record.truth?.timeSkew.map { Int((100 * (1 + $0)).rounded()) } }

    private var cents: Int? { record.truth?.frequencySkew.map { Int((1200 * log2(1 + $0)).rounded()) } }

    private var noise: ChainSteps { ChainSteps(json: record.chain) }

    private var colour: String? { noise.parameter("colour", of: "noise") }

    private var decibels: Int? {
        noise.parameter("snrDecibels", of: "noise").flatMap(Double.init).map { Int($0.rounded()) }
    }
}
