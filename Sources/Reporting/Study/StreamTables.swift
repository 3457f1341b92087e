import Metrics
import Studies

enum StreamTables {
    /// One row for each query.
    static func queries(_ cells: [StreamedCell]) -> String {
        typealias Column = CSVTable<StreamedQuery>.Column
        return CSVTable(columns: [
            Column("trial", text: \.trialID),
            Column("cell", text: \.cell.slug),
            Column("source", text: \.source),
            Column("class", text: \.cluster),
            Column("firstRightSeconds", number: \.firstRightSeconds),
            Column("stableSeconds", number: \.stableSeconds),
            Column("flips", count: \.flips),
            Column("wrongAnswersBeforeRight", count: \.wrongAnswersBeforeRight),
            Column("firstWrongSeconds", number: \.firstWrongSeconds),
            Column("medianPositionErrorSeconds", number: \.medianPositionErrorSeconds),
            Column(
                "medianStrictPositionErrorSeconds",
                number: { Percentile.of($0.positions.strictSeconds.map(abs), at: 0.5) }),
            Column("changes", text: { $0.changes.map(Self.change).joined(separator: " ") }),
            Column("error", text: \.error),
        ]).text(cells.flatMap(\.queries))
    }

    private static func change(_ change: StreamedQuery.Change) -> String {
        let answer =
            switch change.answer {
            case .none: "none"
            case .right: "right"
            case .wrong(let reference): reference
            }
        return "\(change.seconds)=\(answer)"
    }

    /// One row for each condition.
    static func cells(_ cells: [StreamedCell]) -> String {
        typealias Column = CSVTable<StreamedCell>.Column
        return CSVTable(
            columns: [
                Column("cell", text: \.cell.slug),
                Column("queries", count: \.queries.count),
                Column("recordings", count: \.everRight.clusters),
                Column("everRight", count: \.everRight.successes),
                Column("everRightLower", number: { $0.everRight.wilsonInterval()?.lower }),
                Column("everRightUpper", number: { $0.everRight.wilsonInterval()?.upper }),
                Column("firstRightMedianSeconds", number: \.firstRight.median),
                Column("firstRightP90Seconds", number: \.firstRight.percentile90),
                Column("stableMedianSeconds", number: \.stable.median),
                Column("stableP90Seconds", number: \.stable.percentile90),
                Column("flips", count: { $0.queries.reduce(0) { $0 + $1.flips } }),
                Column("flippedQueries", count: \.flipped.successes),
                Column("wrongFirst", count: \.wrongFirst.successes),
            ] + positions("position", \.position) + positions("strictPosition", \.strictPosition)
                + [Column("errors", count: \.errors)]
        ).text(cells)
    }

    private static func positions(
        _ name: String, _ errors: @escaping (StreamedCell) -> ErrorSummary?
    ) -> [CSVTable<StreamedCell>.Column] {
        [
            .init("\(name)MedianSeconds", number: { errors($0)?.medianAbsolute }),
            .init("\(name)P95Seconds", number: { errors($0)?.percentile95Absolute }),
            .init("\(name)WorstSeconds", number: { errors($0)?.maximumAbsolute }),
        ]
    }

    /// One row for each condition and moment.
    static func curves(_ cells: [StreamedCell]) -> String {
        typealias Row = (cell: StreamedCell, moment: StreamedCell.Moment)
        typealias Column = CSVTable<Row>.Column
        func share(_ name: String, _ share: @escaping (StreamedCell.Moment) -> Proportion) -> [Column] {
            [
                Column(name, count: { share($0.moment).successes }),
                Column("\(name)Share", number: { share($0.moment).rate }),
                Column("\(name)Lower", number: { share($0.moment).wilsonInterval()?.lower }),
                Column("\(name)Upper", number: { share($0.moment).wilsonInterval()?.upper }),
            ]
        }
        return CSVTable(
            columns: [
                Column("cell", text: { $0.cell.cell.slug }),
                Column("seconds", number: { $0.moment.seconds }),
                Column("queries", count: { $0.cell.queries.count }),
            ] + share("right", \.right) + share("wrong", \.wrong) + share("none", \.none)
        ).text(cells.flatMap { cell in cell.moments.map { (cell, $0) } })
    }
}
