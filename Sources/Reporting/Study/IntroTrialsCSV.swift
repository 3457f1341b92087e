import Studies

/// `trials.csv`: one row a query.
enum IntroTrialsCSV {
    static func text(_ records: [IntroRecord], margin: Double) -> String {
        typealias Column = CSVTable<IntroRecord>.Column
        return CSVTable(columns: [
            Column("kind", text: \.kind.rawValue),
            Column("set", text: \.set),
            Column("episodes", count: \.episodes),
            Column("right", count: \.right),
            Column("condition", text: \.condition),
            Column("lengthSeconds", number: \.lengthSeconds),
            Column("tailSeconds", number: \.tailSeconds),
            Column("spacingPercent", number: \.spacingPercent),
            Column("snrDecibelsTo4kHz", number: \.snrDecibelsTo4kHz),
            Column("accepted", count: \.accepted),
            Column("first", count: \.first),
            Column("lead", number: \.lead),
            Column("verdict", text: { $0.kind == .tag ? nil : $0.verdict(margin: margin).rawValue }),
            Column("frequencySkew", number: \.frequencySkew),
            Column("freeFrequencySkew", number: \.freeFrequencySkew),
            Column("tag", count: \.tag),
            Column("freeTag", count: \.freeTag),
            Column("error", text: \.error),
        ]).text(records)
    }
}
