// SPDX-License-Identifier: GPL-3.0-or-later

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
    /// Many notes are folded, so that figures are on the first screen.
    var foldsNotes: Bool { notes.count > 3 }
    var notesTitle: String { NumberText.count(notes.count, "note") }
    let provenance: ProvenanceContent
    /// What the files beside the page hold.
    let files: String

    /// Renders the page, which has tables only and says so without `charts`.
    func html(charts: ChartLibrary?) throws -> String {
        let drawn = sections.flatMap(\.charts)
        return try PageTemplate.figures.render([
            "page": self, "style": PageTemplate.text(PackageResources.style_css),
            "script": PageTemplate.text(PackageResources.chartbase_js, PackageResources.lines_js),
            "hasCharts": charts != nil && !drawn.isEmpty, "lacksCharts": charts == nil && !drawn.isEmpty,
            "chartLibrary": charts?.script, "chartData": try ScriptJSON.text(drawn),
        ])
    }
}

/// A part of a page: its text, then its other properties in their order.
struct FigureSection {
    let id: String
    let title: String
    let text: String
    var charts: [LineChart] = []
    var drawings: [LimitChart] = []
    var changes: [ChangeRow] = []
    var tables: [FigureTable] = []
    var entries: [FigureEntry] = []
    var folds: [FigureFold] = []
}

/// A table: a name in front, figures or text behind.
struct FigureTable {
    struct Cell {
        let text: String
        /// A smaller line below, such as a unit or an interval; may be empty.
        let detail: String
        let style: String
        /// Where the text leads; may be empty.
        var address = ""

        fileprivate init(_ content: String, style: String) {
            let lines = content.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            text = String(lines[0])
            detail = lines.count > 1 ? String(lines[1]) : ""
            self.style = style
        }
    }

    struct Row {
        let name: String
        var cells: [Cell]
        /// Where the name leads; may be empty.
        var address = ""
    }

    let caption: String
    /// What a screen reader calls the table.
    let label: String
    let head: Row
    var rows: [Row]

    /// - Parameters:
    ///   - columns: the heads of the names and of the other columns.
    ///   - hasNamesInHead: Whether heads are names of others, which keep their first letter.
    ///   - styles: the classes of columns: `number`, unless it is `text`, `code` or `number lead`.
    ///   - rows: a name and cells each; a cell of two lines is text, a line break and a detail.
    init(
        _ caption: String, label: String? = nil, columns: [String], hasNamesInHead: Bool = false,
        styles: [Int: String] = [:], rows: [[String]]
    ) {
        self.caption = caption
        self.label = label ?? caption
        head = Self.row(
            hasNamesInHead ? columns : columns.map(Self.head),
            styles: styles.mapValues { $0 == "number lead" ? "number" : $0 })
        self.rows = rows.map { Self.row($0, styles: styles) }
    }

    /// A head with a capital, except a symbol such as p.
    private static func head(_ text: String) -> String {
        guard let first = text.split(separator: " ").first, first.count > 1 else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    static func row(_ fields: [String], styles: [Int: String] = [:]) -> Row {
        let cells = fields.enumerated().dropFirst().map { Cell($1, style: styles[$0] ?? "number") }
        return Row(name: fields[0], cells: cells)
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

/// Tables that open on a click.
struct FigureFold {
    let summary: String
    var tables: [FigureTable] = []
    var more = ""
}

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
}
