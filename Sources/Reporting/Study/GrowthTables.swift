import Metrics
import Studies

enum GrowthTables {
    private struct Row {
        let point: GrowthPoint
        /// Empty for all degradations.
        let degradation: String
        let figures: GrowthPoint.Figures
        let change: PairedComparison?
    }

    /// One row for each size, then one for each size and degradation.
    static func sizes(_ points: [GrowthPoint]) -> String {
        typealias Column = CSVTable<Row>.Column
        func share(_ name: String, _ share: @escaping (Row) -> Proportion) -> [Column] {
            [
                Column(name, count: { share($0).successes }),
                Column("\(name)Of", count: { share($0).trials }),
                Column("\(name)Lower", number: { share($0).wilsonInterval()?.lower }),
                Column("\(name)Upper", number: { share($0).wilsonInterval()?.upper }),
            ]
        }
        let rows =
            points.map {
                Row(
                    point: $0, degradation: "", figures: $0.figures,
                    change: points.first.map($0.compared(with:)))
            }
            + points.flatMap { point in
                point.degradations.map {
                    Row(point: point, degradation: $0, figures: point.figures(of: $0), change: nil)
                }
            }
        return CSVTable(
            columns: [
                Column("hours", number: \.point.hours),
                Column("realHours", number: \.point.realHours),
                Column("realReferences", count: \.point.realReferences),
                Column("degradation", text: \.degradation),
            ] + share("correct", \.figures.recall) + share("wrongReference", \.figures.wrongReferences)
                + share("falseAccept", \.figures.falseAccepts)
                + [
                    Column("lostSinceSmallest", count: \.change?.onlyBefore),
                    Column("gainedSinceSmallest", count: \.change?.onlyAfter),
                    Column("exactProbability", number: \.change?.exactProbability),
                    Column("errors", count: \.figures.errors),
                    Column("indexBytes", count: \.point.indexBytes),
                    Column("positiveProcessorSeconds", number: \.figures.positiveSeconds),
                    Column("negativeProcessorSeconds", number: \.figures.negativeSeconds),
                ]
        ).text(rows)
    }

    /// One row for each size and query.
    ///
    /// The processor time comes last: it differs from run to run.
    static func answers(_ points: [GrowthPoint]) -> String {
        typealias Row = (hours: Double, answer: GrowthPoint.Answer)
        typealias Column = CSVTable<Row>.Column
        return CSVTable(columns: [
            Column("hours", number: { $0.hours }),
            Column("trial", text: { $0.answer.trialID }),
            Column("class", text: { $0.answer.cluster }),
            Column("isPositive", flag: { $0.answer.isPositive }),
            Column("outcome", text: { "\($0.answer.outcome)" }),
            Column("error", text: { $0.answer.error }),
            Column("processorSeconds", number: { $0.answer.processorSeconds }),
        ]).text(points.flatMap { point in point.answers.map { (point.hours, $0) } })
    }
}
