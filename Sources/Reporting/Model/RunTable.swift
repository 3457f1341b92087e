/// What `columns.json` says of a column.
package struct TableColumn: Encodable, Sendable {
    package let name: String
    let type: ColumnType
    package let unit: String
    package let meaning: String
}

/// A CSV file of a run: its columns, each with unit and meaning, and its text.
package struct RunTable {
    package let name: String
    /// What a row is, in a sentence.
    package let rows: String
    /// In the order of the file.
    package let columns: [TableColumn]
    let text: (ReportModel) -> String

    init<Row>(
        _ name: String, _ rows: String, _ columns: [Table<Row>.Column],
        of rowsOf: @escaping (ReportModel) -> [Row]
    ) {
        self.name = name
        self.rows = rows
        let table = Table(columns)
        self.columns = table.named.map {
            TableColumn(name: $0.name, type: $0.type, unit: $0.unit, meaning: $0.meaning)
        }
        text = { table.csv(rowsOf($0)) }
    }
}
