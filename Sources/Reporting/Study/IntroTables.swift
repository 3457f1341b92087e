import Metrics
import Studies

enum IntroTables {
    /// `trials.csv`: one row for each query.
    static func trials(_ records: [IntroRecord], margin: Double) -> String {
        CSVTable<IntroRecord>([
            .init("kind", text: \.kind.rawValue),
            .init("set", text: \.set),
            .init("episodes", count: \.episodes),
            .init("right", count: \.right),
            .init("condition", text: \.condition),
            .init("lengthSeconds", number: \.lengthSeconds),
            .init("tailSeconds", number: \.tailSeconds),
            .init("spacingPercent", number: \.spacingPercent),
            .init("snrDecibelsTo4kHz", number: \.snrDecibelsTo4kHz),
            .init("accepted", count: \.accepted),
            .init("first", count: \.first),
            .init("lead", number: \.lead),
            .init("verdict", text: { $0.kind == .tag ? nil : $0.verdict(margin: margin).rawValue }),
            .init("frequencySkew", number: \.frequencySkew),
            .init("freeFrequencySkew", number: \.freeFrequencySkew),
            .init("tag", count: \.tag),
            .init("freeTag", count: \.freeTag),
            .init("error", text: \.error),
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
            columns += Column.share(name, ends: ("Low", "High")) { $0[keyPath: share] }
        }
        return CSVTable(columns).text(score.inside + score.boundary)
    }

    /// `delays.csv`: how soon the right episode is the only answer.
    static func delays(_ score: IntroScore) -> String {
        CSVTable<IntroScore.Delays>([
            .init("episodes", count: \.cell.episodes),
            .init("condition", text: \.cell.condition),
            .init("lengthSeconds", number: \.cell.lengthSeconds),
            .init("sets", count: \.soon.clusters),
            .init("queriedEpisodes", count: \.soon.trials),
            .init("medianSeconds", number: { $0.median.isFinite ? $0.median : nil }),
            .init("percentile95Seconds", number: { $0.percentile95.isFinite ? $0.percentile95 : nil }),
            .init("never", count: { $0.seconds.count { $0 == nil } }),
            .init("withinOneSecond", number: \.soon.rate),
            .init("withinOneSecondLow", number: { $0.soon.wilsonInterval()?.lower }),
            .init("withinOneSecondHigh", number: { $0.soon.wilsonInterval()?.upper }),
        ]).text(score.delays)
    }

    /// `tags.csv`: how often the skew gives the right tag.
    static func tags(_ tags: TagScore) -> String {
        CSVTable<TagScore.Row>([
            .init("spacingPercent", number: \.spacingPercent),
            .init("episodesThatFit", count: { IntroDesign.episodes(taggedAt: $0.spacingPercent) }),
            .init("condition", text: \.condition),
            .init("lengthSeconds", number: \.lengthSeconds),
            .init("sets", count: \.right.clusters),
            .init("trials", count: \.right.trials),
            .init("right", number: \.right.rate),
            .init("rightLow", number: { $0.right.wilsonInterval()?.lower }),
            .init("rightHigh", number: { $0.right.wilsonInterval()?.upper }),
            .init("rightByFreeFit", number: \.rightFree.rate),
            .init("missed", number: \.missed.rate),
        ]).text(tags.rows)
    }

    /// `confusion.csv`: the answers for each episode; rows without trials are left out.
    static func confusion(_ score: IntroScore) -> String {
        typealias Row = (matrix: IntroScore.Confusion, right: Int, column: Int)
        let rows = score.confusions.flatMap { matrix in
            matrix.counts.indices.flatMap { right in
                matrix.counts[right].indices.filter { matrix.counts[right][$0] > 0 }
                    .map { Row(matrix, right, $0) }
            }
        }
        return CSVTable<Row>([
            .init("episodes", count: \.matrix.episodes),
            .init("condition", text: \.matrix.condition),
            .init("tailSeconds", number: \.matrix.tailSeconds),
            .init("episode", count: { $0.right + 1 }),
            .init("takenFor", text: { $0.matrix.name(ofColumn: $0.column) }),
            .init("trials", count: { $0.matrix.counts[$0.right][$0.column] }),
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
