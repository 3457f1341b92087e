import Metrics

/// `reliability.csv`: one row for each bin of stated confidence that holds an answer.
///
/// Shares and means are weighted to one positive to one negative; the interval is of the observed share.
enum ReliabilityCSV {
    static func text(_ model: ReportModel) -> String { table.text(model.reliability?.bins ?? []) }

    private static var table: CSVTable<ReliabilityDiagram.Bin> {
        CSVTable(columns: [
            .init("from", number: { $0.range.lower }),
            .init("to", number: { $0.range.upper }),
            .init("answers", count: { $0.count }),
            .init("share", number: { $0.share }),
            .init("stated", number: { $0.stated }),
            .init("observed", number: { $0.observed }),
            .init("observedLower", number: { $0.interval.lower }),
            .init("observedUpper", number: { $0.interval.upper }),
        ])
    }
}
