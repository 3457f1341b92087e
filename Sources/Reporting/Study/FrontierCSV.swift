import Studies

/// `frontier.csv`: one row for each query and axis.
enum FrontierCSV {
    /// Severities in the unit of the axis, words where it has no numbers.
    static func text(_ result: FrontierResult) -> String {
        typealias Column = CSVTable<FrontierResult.Limit>.Column
        func label(_ limit: FrontierResult.Limit, _ rung: Int?) -> String? {
            rung.map { result.axes[limit.axis].ladder.rungs[$0].label }
        }
        func number(_ limit: FrontierResult.Limit, _ rung: Int?) -> Double? {
            rung.flatMap { result.axes[limit.axis].ladder.rungs[$0].number }
        }
        let columns: [Column] = [
            Column("axis", text: { result.axes[$0.axis].name }),
            Column("unit", text: { result.axes[$0.axis].unit }),
            Column("query", text: \.query),
            Column("track", text: \.track),
            Column("class", text: \.cluster),
            Column("start_seconds", number: \.startSeconds),
            Column("status", text: \.finding.status.rawValue),
            Column("last_found", number: { number($0, $0.finding.lastFound) }),
            Column("first_lost", number: { number($0, $0.finding.firstLost) }),
            Column("last_found_label", text: { label($0, $0.finding.lastFound) }),
            Column("first_lost_label", text: { label($0, $0.finding.firstLost) }),
            Column("outcome_at_first_lost", text: { $0.lostTrial?.outcome?.rawValue }),
            Column("trial_at_first_lost", text: { $0.lostTrial?.record.trialID }),
            Column("holes", count: \.finding.holes.count),
            Column(
                "hole_ranges",
                text: { limit in
                    limit.finding.holes.map { hole in
                        [hole.lowerBound, hole.upperBound].compactMap { label(limit, $0) }
                            .joined(separator: "..")
                    }.joined(separator: "; ")
                }),
            Column("runs", count: \.finding.answers.count),
            Column("grid_runs", count: \.finding.rungs),
            Column("errors", count: \.errors),
        ]
        return CSVTable(columns: columns).text(result.limits)
    }
}
