// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Studies

/// A page of charts and tables that opens without a network.
struct FigurePage {
    let title: String
    /// What was found, in a sentence or two.
    let verdict: String
    /// What was measured on what.
    let scope: String
    var tiles: [Tile] = []
    let sections: [FigureSection]
    /// Limits and errors that the reader has to know.
    var notes: [String] = []
    let provenance: ProvenanceContent
    /// What the files beside the page hold.
    let files: String

    /// Renders the page.
    ///
    /// Without `charts` it has tables only and says so.
    func html(charts: ChartLibrary?) throws -> String {
        try PageTemplate(parts: [
            ("figures", PackageResources.figures_mustache), ("table", PackageResources.table_mustache),
            ("changes", PackageResources.changes_mustache), ("tiles", PackageResources.tiles_mustache),
            ("folds", PackageResources.folds_mustache),
            ("provenance", PackageResources.provenance_mustache),
        ]).render(Content(self, charts: charts))
    }

    /// The values that the template names.
    private struct Content {
        let title: String
        let verdict: String
        let scope: String
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let script = [PackageResources.chartbase_js, PackageResources.lines_js]
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        let chartLibrary: String
        let hasCharts: Bool
        let lacksCharts: Bool
        let chartData: String
        let tiles: [Tile]
        let hasTiles: Bool
        let sections: [FigureSection]
        let notes: [String]
        let hasNotes: Bool
        let provenance: ProvenanceContent
        let files: String

        init(_ page: FigurePage, charts: ChartLibrary?) throws {
            title = page.title
            verdict = page.verdict
            scope = page.scope
            let drawn = page.sections.flatMap(\.charts)
            hasCharts = charts != nil && !drawn.isEmpty
            lacksCharts = charts == nil && !drawn.isEmpty
            chartLibrary = charts?.script ?? ""
            chartData = try ScriptJSON.text(drawn)
            tiles = page.tiles
            hasTiles = !tiles.isEmpty
            sections = page.sections
            notes = page.notes
            hasNotes = !notes.isEmpty
            provenance = page.provenance
            files = page.files
        }
    }
}

extension FigurePage {
    /// A page about one measurement.
    ///
    /// The notes of its origin come before `notes`.
    init(
        title: String, verdict: String, scope: String, sections: [FigureSection], origin: Provenance,
        notes: [String] = [], files: String
    ) {
        self.init(
            title: title, verdict: verdict, scope: scope, sections: sections, notes: origin.notes + notes,
            provenance: ProvenanceContent(origin), files: files)
    }
}

/// A part of a page.
///
/// It shows its text, then its other properties in their order.
///
/// The template sees stored properties only.
struct FigureSection {
    private struct Canvas {
        let id: String
        let title: String
        let caption: String
        let spoken: String
    }

    let id: String
    let title: String
    let text: String
    let charts: [LineChart]
    private let canvases: [Canvas]
    let drawings: [LimitChart]
    private let hasDrawings: Bool
    let changes: [ChangeRow]
    private let hasChanges: Bool
    let tables: [FigureTable]
    let entries: [FigureEntry]
    let folds: [FigureFold]

    init(
        id: String, title: String, text: String, charts: [LineChart] = [], drawings: [LimitChart] = [],
        changes: [ChangeRow] = [], tables: [FigureTable] = [], entries: [FigureEntry] = [],
        folds: [FigureFold] = []
    ) {
        self.id = id
        self.title = title
        self.text = text
        self.charts = charts
        canvases = charts.map { Canvas(id: $0.id, title: $0.title, caption: $0.caption, spoken: $0.spoken) }
        self.drawings = drawings
        hasDrawings = !drawings.isEmpty
        self.changes = changes
        hasChanges = !changes.isEmpty
        self.tables = tables
        self.entries = entries
        self.folds = folds
    }
}

/// A table: a name in front, figures or text behind.
struct FigureTable {
    struct Column {
        let title: String
        /// The class of its cells: `number`, `text` or `code`.
        let style: String
    }

    struct Cell {
        let text: String
        /// A smaller line below, such as an interval.
        let detail: String
        let hasDetail: Bool
        let style: String
    }

    struct Row {
        let name: String
        let cells: [Cell]
    }

    let caption: String
    let head: String
    let columns: [Column]
    let rows: [Row]

    /// A cell of two lines is `text`, a line break and `detail`.
    ///
    /// Columns without a style hold numbers.
    init(
        _ caption: String, head: String, columns: [String], styles: [Int: String] = [:],
        rows: [(name: String, cells: [String])]
    ) {
        self.caption = caption
        self.head = head
        self.columns = columns.enumerated().map { Column(title: $1, style: styles[$0] ?? "number") }
        self.rows = rows.map { row in
            Row(
                name: row.name,
                cells: row.cells.enumerated().map { number, cell in
                    let lines = cell.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
                    let detail = lines.count > 1 ? String(lines[1]) : ""
                    return Cell(
                        text: String(lines[0]), detail: detail, hasDetail: !detail.isEmpty,
                        style: styles[number] ?? "number")
                })
        }
    }
}

/// A case with a heading, a line in bold, more lines and a command.
struct FigureEntry {
    let title: String
    let lead: String
    let lines: [String]
    let command: String
    let folds: [FigureFold]
}

/// A list or a table that opens on a click.
struct FigureFold {
    let summary: String
    let items: [String]
    private let hasItems: Bool
    let tables: [FigureTable]
    let more: String
    private let hasMore: Bool

    init(_ summary: String, items: [String] = [], tables: [FigureTable] = [], more: String = "") {
        self.summary = summary
        self.items = items
        hasItems = !items.isEmpty
        self.tables = tables
        self.more = more
        hasMore = !more.isEmpty
    }
}

/// A headline figure.
struct Tile {
    let label: String
    let value: String
    let unit: String
    let details: [String]

    /// The unit of `figure` comes after a non-breaking space.
    init(_ label: String, _ figure: String, _ details: [String]) {
        let parts = figure.split(separator: Character(NumberText.blank), maxSplits: 1)
        self.label = label
        value = parts.first.map(String.init) ?? NumberText.missing
        unit = parts.count > 1 ? String(parts[1]) : ""
        self.details = details
    }

    init(_ label: String, _ figure: String, _ details: String...) {
        self.init(label, figure, details)
    }
}
