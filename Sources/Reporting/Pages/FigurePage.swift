// SPDX-License-Identifier: GPL-3.0-or-later
import CPages
import Metrics

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
    /// The head of a run's page; nil on a study's.
    var run: RunHead?

    /// What the head of a run's page adds.
    struct RunHead {
        let started: String
        let planName: String
        let half: String
        let commit: String
        let matcher: String
        let version: String
        let corpus: String
        /// May be empty.
        let weakness: String
        let judgement: [Judgement]
        /// What changed since the run before; may be empty.
        let previous: String
    }

    /// Renders the page, which has tables only and says so without `charts`.
    func html(charts: ChartLibrary?) throws -> String {
        let drawn = sections.flatMap { $0.charts + $0.groups.flatMap(\.charts) }
        let trials = sections.flatMap(\.trials)
        let hasSounds = !trials.isEmpty || sections.contains { $0.passages.contains { !$0.sounds.isEmpty } }
        let hasCharts = charts != nil && !drawn.isEmpty
        let scripts = [
            trials.isEmpty ? [] : [report_copy_js(), report_tables_js()],
            hasCharts ? [report_charts_js()] : [],
            trials.isEmpty ? [] : [report_spectrogram_js(), report_drilldown_js(), report_trials_js()],
        ]
        let styles = [report_page_css()] + (trials.isEmpty ? [] : [report_trials_css()])
        return try PageTemplate.render([
            "page": self,
            "style": styles.map { String(cString: $0) }.joined(),
            "links": sections.map { (id: $0.id, text: $0.link.isEmpty ? $0.title : $0.link) }
                .filter { !$0.text.isEmpty },
            "hasCharts": hasCharts, "lacksCharts": charts == nil && !drawn.isEmpty,
            "chartLibrary": charts?.script ?? "", "chartData": try ScriptJSON.text(drawn),
            "hasSounds": hasSounds, "trials": trials, "opensFiles": trials.contains(where: \.hasFiles),
            "script": scripts.joined().map { String(cString: $0) }.joined(),
        ])
    }
}

/// A verdict against a baseline.
struct Judgement {
    /// A word for the badge.
    let kind: String
    let words: String
    let baseline: String
}

/// A part of a page: its text, then its other properties in their order.
struct FigureSection {
    let id: String
    /// May be empty.
    var title: String
    var text: String
    /// What the navigation calls it; empty for its title.
    var link = ""
    /// What a screen reader calls a section without a title.
    var label = ""
    var judgement: [Judgement] = []
    /// Smaller paragraphs.
    var remarks: [String] = []
    var tiles: [Tile] = []
    var overview: [OverviewContent] = []
    var bars: [FigureBar] = []
    var groups: [FigureGroup] = []
    /// The style of its charts: `pairs`, `two` or `multiples`.
    var layout = "pairs"
    var charts: [LineChart] = []
    var drawings: [LimitChart] = []
    var passages: [ListedPassage] = []
    /// What the styles of the time lines mean.
    var legend: [(style: String, text: String)] = []
    var timeLines: [TimeLine] = []
    var changesTitle = ""
    var changes: [ChangeRow] = []
    var changesNote = ""
    var tables: [FigureTable] = []
    var entries: [FigureEntry] = []
    var folds: [FigureFold] = []
    var trials: [TrialsContent] = []
}

/// A share with its interval, drawn on an axis from 0 to 100 %.
struct FigureBar {
    let title: String
    let value: String
    let interval: String
    /// The style of ``RangeBar``.
    let bar: String
    let detail: String

    init(_ title: String, _ share: Proportion, detail: String) {
        (self.title, value, interval, self.detail) = (title, share.text, share.range, detail)
        bar = RangeBar.style(share.wilsonInterval(), share.rate) { $0 * 100 }
    }
}

/// A stretch of a recording, with blocks on one or two lanes.
struct TimeLine {
    struct Block {
        /// In seconds of the stretch.
        let start: Double
        let width: Double
        /// The upper edge of its lane.
        let top: Int
        var height = 22
        /// `found`, `missed`, `wrong`, `spare`, `whole`, `more`, or `part0` to `part5`.
        let style: String
        let words: String
        /// Where it leads; may be empty.
        var address = ""
    }

    let title: String
    /// What a screen reader says.
    let spoken: String
    /// The length in seconds.
    let length: Double
    let blocks: [Block]
    /// The places of rules, in seconds.
    let rules: [Double]
    /// Lines below, with the styles of blocks.
    var marks: [(style: String, text: String)] = []
    /// Whether the title is the name of a file.
    var isNamed = false
}

/// A passage of a recording with its sounds.
struct ListedPassage {
    struct Sound {
        let label: String
        /// An Ogg file in base 64.
        let data: String
    }

    let id: String
    /// A style of ``TimeLine/Block``.
    let style: String
    let verdict: String
    let name: String
    let words: String
    let sounds: [Sound]
}

/// A group of conditions: its tables and its curves.
struct FigureGroup {
    /// Rows of conditions.
    struct Conditions {
        /// The heads of the columns after those that every table has.
        let heads: [Head]
        let rows: [[String: Any]]
        let summary: String
    }

    struct Head {
        let text: String
        let detail: String
        /// In percent of the table.
        let width: String
    }

    let id: String
    let title: String
    let text: String
    let tables: [FigureTable]
    let charts: [LineChart]
    /// The weakest conditions; none where all are found, or where a table shows them.
    let weak: [Conditions]
    /// The others, which open on a click.
    let others: [Conditions]
    /// Whether the others are all there is to show, so that the group is one line.
    let isLine: Bool
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

        init(_ content: String, style: String) {
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
    /// More rows below headings.
    var groups: [(title: String, rows: [Row])] = []
    /// The number of columns.
    let width: Int
    /// The style of the table: `figures` or `matrix`.
    var kind = "figures"
    /// A paragraph below; may be empty.
    var remark = ""

    /// - Parameters:
    ///   - columns: the heads of the names and of the other columns.
    ///   - hasNamesInHead: Whether heads are names of others, which keep their first letter.
    ///   - styles: the classes of columns; `number` by default.
    ///   - rows: a name and cells each. The second line of a cell is its detail.
    init(
        _ caption: String, label: String? = nil, columns: [String], hasNamesInHead: Bool = false,
        styles: [Int: String] = [:], rows: [[String]]
    ) {
        self.caption = caption
        self.label = label ?? caption
        width = columns.count
        head = Self.row(
            hasNamesInHead ? columns : columns.map(Self.head),
            styles: styles.mapValues { $0 == "number lead" ? "number" : $0 })
        self.rows = rows.map { Self.row($0, styles: styles) }
    }

    /// A table of the columns that have a heading, the first of which is the name.
    init<Row>(
        _ caption: String, label: String? = nil, _ columns: [Table<Row>.Column], styles: [Int: String] = [:],
        rows: some Sequence<Row>
    ) {
        let table = Table(columns)
        self.init(caption, label: label, columns: table.heads, styles: styles, rows: rows.map(table.cells))
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
    var id = ""
    let summary: String
    /// A paragraph in front; may be empty.
    var text = ""
    var notes: [String] = []
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

    /// A rate with its interval and its counts.
    init(_ label: String, _ share: Proportion) { self.init(label, share.text, [share.range, share.counts]) }
}
