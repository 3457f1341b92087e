/// A table of figures in a page: a name in front, numbers behind.
struct FigureTable {
    /// A line of the table.
    struct Row {
        let name: String
        let cells: [String]
    }

    let caption: String
    let head: String
    let columns: [String]
    let rows: [Row]

    init(_ caption: String, head: String, columns: [String], rows: [(name: String, cells: [String])]) {
        self.caption = caption
        self.head = head
        self.columns = columns
        self.rows = rows.map { Row(name: $0.name, cells: $0.cells) }
    }
}

/// A part of a page of figures: words, then charts, then tables.
struct FigureSection {
    let id: String
    let title: String
    let text: String
    let charts: [LineChart]
    let tables: [FigureTable]
}
