/// A CSV file of a run: its columns, each with unit and meaning, and its text.
package struct RunTable {
    package let name: String
    /// What a row is, in a sentence.
    package let rows: String
    /// In the order of the file.
    package let columns: [(name: String, unit: String, meaning: String)]
    let text: (ReportModel) -> String

    init<Row>(
        _ name: String, _ rows: String, _ columns: [Table<Row>.Column],
        of rowsOf: @escaping (ReportModel) -> [Row]
    ) {
        self.name = name
        self.rows = rows
        self.columns = Table(columns).named.map { ($0.name, $0.unit, $0.meaning) }
        text = { Table(columns).csv(rowsOf($0)) }
    }
}
