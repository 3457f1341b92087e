import Metrics
import Studies

enum IntroTables {
    /// `trials.csv`: one row for each query.
    static func trials(_ records: [IntroRecord], margin: Double) -> String {
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

    /// `cells.csv`: queries within the intro, and those that end some time after it.
    static func cells(_ score: IntroScore) -> String {
        typealias Column = CSVTable<IntroScore.Row>.Column
        var columns = [
            Column("kind", text: { $0.cell.tailSeconds == nil ? "inside" : "boundary" }),
            Column("episodes", count: \.cell.episodes),
            Column("condition", text: \.cell.condition),
            Column("lengthSeconds", number: \.cell.lengthSeconds),
            Column("tailSeconds", number: \.cell.tailSeconds),
            Column("sets", count: \.right.clusters),
            Column("trials", count: \.right.trials),
        ]
        let shares: [(String, KeyPath<IntroScore.Row, Proportion>)] = [
            ("right", \.right), ("wrong", \.wrong), ("ambiguous", \.ambiguous), ("missed", \.missed),
            ("rightFirst", \.rightFirst), ("allAccepted", \.allAccepted),
        ]
        for (name, share) in shares {
            columns += [
                Column(name, number: { $0[keyPath: share].rate }),
                Column(name + "Low", number: { $0[keyPath: share].wilsonInterval()?.lower }),
                Column(name + "High", number: { $0[keyPath: share].wilsonInterval()?.upper }),
            ]
        }
        return CSVTable(columns: columns).text(score.inside + score.boundary)
    }

    /// `delays.csv`: how soon the right episode is the only answer.
    static func delays(_ score: IntroScore) -> String {
        typealias Column = CSVTable<IntroScore.Delays>.Column
        return CSVTable(columns: [
            Column("episodes", count: \.cell.episodes),
            Column("condition", text: \.cell.condition),
            Column("lengthSeconds", number: \.cell.lengthSeconds),
            Column("sets", count: \.soon.clusters),
            Column("queriedEpisodes", count: \.soon.trials),
            Column("medianSeconds", number: { $0.median.isFinite ? $0.median : nil }),
            Column("percentile95Seconds", number: { $0.percentile95.isFinite ? $0.percentile95 : nil }),
            Column("never", count: { $0.seconds.count { $0 == nil } }),
            Column("withinOneSecond", number: \.soon.rate),
            Column("withinOneSecondLow", number: { $0.soon.wilsonInterval()?.lower }),
            Column("withinOneSecondHigh", number: { $0.soon.wilsonInterval()?.upper }),
        ]).text(score.delays)
    }

    /// `tags.csv`: how often the skew gives the right tag.
    static func tags(_ tags: TagScore) -> String {
        typealias Column = CSVTable<TagScore.Row>.Column
        return CSVTable(columns: [
            Column("spacingPercent", number: \.spacingPercent),
            Column("episodesThatFit", count: { IntroPlanFile.episodes(taggedAt: $0.spacingPercent) }),
            Column("condition", text: \.condition),
            Column("lengthSeconds", number: \.lengthSeconds),
            Column("sets", count: \.right.clusters),
            Column("trials", count: \.right.trials),
            Column("right", number: \.right.rate),
            Column("rightLow", number: { $0.right.wilsonInterval()?.lower }),
            Column("rightHigh", number: { $0.right.wilsonInterval()?.upper }),
            Column("rightByFreeFit", number: \.rightFree.rate),
            Column("missed", number: \.missed.rate),
        ]).text(tags.rows)
    }

    /// `confusion.csv`: the answers for each episode; rows without trials are left out.
    static func confusion(_ score: IntroScore) -> String {
        typealias Row = (matrix: IntroScore.Confusion, right: Int, column: Int)
        typealias Column = CSVTable<Row>.Column
        let rows = score.confusions.flatMap { matrix in
            matrix.counts.indices.flatMap { right in
                matrix.counts[right].indices.filter { matrix.counts[right][$0] > 0 }
                    .map { Row(matrix, right, $0) }
            }
        }
        return CSVTable<Row>(columns: [
            Column("episodes", count: \.matrix.episodes),
            Column("condition", text: \.matrix.condition),
            Column("tailSeconds", number: \.matrix.tailSeconds),
            Column("episode", count: { $0.right + 1 }),
            Column("takenFor", text: { $0.matrix.name(ofColumn: $0.column) }),
            Column("trials", count: { $0.matrix.counts[$0.right][$0.column] }),
        ]).text(rows)
    }
}

extension IntroScore.Confusion {
    /// The heading of a column of ``counts``.
    func name(ofColumn column: Int) -> String {
        switch column - episodes {
        case 0: "another recording"
        case 1: "ambiguous"
        case 2: "missed"
        default: "\(column + 1)"
        }
    }
}
