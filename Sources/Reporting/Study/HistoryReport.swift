import Corpora
import Evaluation
import Metrics
import SystemIO

/// Runs of the same trials in the order of their start, with the changes of their figures.
package struct HistoryReport: Report, Sendable {
    struct Panel: Sendable {
        let name: String
        let runs: [HistoryRun]
        let tracks: [Track]
    }

    struct Track: Sendable {
        let figure: HistoryFigure
        /// Points whose x is the number of the run, from 1.
        let points: [LineChart.Point]
        let found: ChangePoints

    }

    /// A change of the level of a figure.
    struct Change: Sendable {
        let figure: HistoryFigure
        let level: ChangePoints.Change
        /// The number of the first run after it.
        let run: Int
        let facts: RunFacts

        /// Recall that falls is worse; so is anything else that grows.
        var isWorse: Bool {
            figure.chart == .recall ? level.after < level.before : level.after > level.before
        }

        /// A change as `recall 94.1 → 96.3 % (p 0.01)`.
        var words: String {
            let ends = [level.before, level.after].map { NumberText.significant($0, digits: 3) }
            return "\(figure.name) \(ends[0]) → \(ends[1]) \(figure.chart.unit) "
                + "(p \(NumberText.probability(level.probability)))"
        }

        var commit: String { ProvenanceContent.short(facts.commit) }
    }

    let panels: [Panel]
    /// The addresses of the pages of runs by the paths of their summaries.
    var pages: [String: String] = [:]

    static let level = 0.05

    /// Orders runs by their start and separates those of different trials.
    package init(_ runs: [HistoryRun]) {
        let ordered = runs.sorted {
            ($0.summary.run.startedAt, $0.path) < ($1.summary.run.startedAt, $1.path)
        }
        panels = ordered.grouped { "\($0.summary.run.panelDigest) \($0.summary.run.matcher.name)" }
            .map { Panel($0.elements) }
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [ReportFile("history.csv", csv), ReportFile("history.html", try html(charts: charts))]
    }

    /// The changes as lines for a terminal.
    package var summary: String {
        panels.map { panel in
            let changes = panel.changes.map {
                "  run \($0.run): \($0.words)" + ($0.isWorse ? ", worse since commit \($0.commit)" : "")
            }
            let none = ["  no figure changes its level"]
            let name = "\(panel.name), \(panel.runs.count.counting("run"))"
            return ([name] + (changes.isEmpty ? none : changes)).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension HistoryReport.Panel {
    var changes: [HistoryReport.Change] {
        tracks.flatMap { track in
            track.found.changes.map { change in
                let run = Int(track.points[change.index].x)
                return .init(figure: track.figure, level: change, run: run, facts: runs[run - 1].summary.run)
            }
        }
    }

    fileprivate init(_ runs: [HistoryRun]) {
        self.runs = runs
        let facts = runs.first?.summary.run
        name =
            facts.map {
                "\($0.matcher.name), \($0.planName) on \($0.corpusName), \($0.half) half, seed \($0.seed)"
            }
            ?? ""
        tracks = HistoryFigure.all.compactMap { figure in
            let points = figure.points(runs).enumerated().compactMap { number, point in
                point.map {
                    LineChart.Point(x: Double(number + 1), y: $0.y, lower: $0.lower, upper: $0.upper)
                }
            }
            if points.isEmpty { return nil }
            return HistoryReport.Track(
                figure: figure, points: points,
                found: ChangePoints(points.map(\.y), level: HistoryReport.level))
        }
    }
}

extension HistoryReport {
    /// `history.html`: charts of every figure and tables of changes and runs.
    func html(charts: ChartLibrary?) throws -> String {
        let runs = panels.reduce(0) { $0 + $1.runs.count }
        let changes = panels.flatMap(\.changes)
        let losses = changes.filter(\.isWorse).map { "\($0.words) since commit \($0.commit)" }
        return try FigurePage(
            title: runs.text("run"),
            verdict: changes.isEmpty
                ? "No figure changes its level."
                : "\(changes.count.text("change")) of a figure's level"
                    + (losses.isEmpty
                        ? "." : ", \(losses.count) for the worse: \(losses.joined(separator: "; "))."),
            scope:
                "Runs of the same trials are compared in the order of their start. "
                + "Energy statistics with permutation find a change of level at p ≤ 0.05. This takes at least eight "
                + "runs. A gate judges a single run against a baseline.",
            sections: panels.enumerated().map { section($1, number: $0 + 1) },
            provenance: ProvenanceContent(
                panels.flatMap(\.runs).map {
                    ProvenanceContent($0.summary.run.provenance, more: [("File", $0.path)])
                },
                names: panels.enumerated().flatMap { part, panel in
                    let place = panels.count == 1 ? "" : " of section \(part + 1)"
                    return panel.runs.indices.map { "run \($0 + 1)\(place)" }
                }),
            files: "history.csv holds every figure of every run."
        ).html(charts: charts)
    }

    private func section(_ panel: Panel, number: Int) -> FigureSection {
        let drawn = HistoryFigure.Chart.allCases.compactMap { chart in
            self.chart(chart, of: panel, id: "panel-\(number)-\(chart)")
        }
        return FigureSection(
            id: "panel-\(number)", title: panel.name,
            text:
                "Bands are 95 % intervals of single runs. Broken lines are levels between changes. Answers "
                + "are the same where 64 fixed queries have the same answers as in the run before.",
            charts: drawn, tables: [changes(of: panel), table(of: panel)].filter { !$0.rows.isEmpty })
    }

    private func chart(_ chart: HistoryFigure.Chart, of panel: Panel, id: String) -> LineChart? {
        let tracks = panel.tracks.filter { $0.figure.chart == chart }
        guard !tracks.isEmpty, panel.runs.count > 1 else { return nil }
        return LineChart(
            id: id, title: chart.rawValue, caption: "Run by run.", xAxis: "run",
            yAxis: "\(chart.rawValue.lowercased()), \(chart.unit)", least: chart == .recall ? nil : 0,
            series: tracks.flatMap { track -> [LineChart.Series] in
                let line = LineChart.Series(name: track.figure.name, points: track.points)
                guard !track.found.changes.isEmpty else { return [line] }
                let levels = zip(track.points, track.found.levels).map { LineChart.Point(x: $0.x, y: $1) }
                return [
                    line,
                    LineChart.Series(name: "\(track.figure.name), level", points: levels, style: .stepped),
                ]
            })
    }

    private func changes(of panel: Panel) -> FigureTable {
        FigureTable("Changes of level", Self.changeColumns, rows: panel.changes)
    }

    private func table(of panel: Panel) -> FigureTable {
        var table = FigureTable(
            "Runs",
            columns: ["Run", "started", "version", "commit", "answers"]
                + panel.tracks.map { "\($0.figure.name)\n\($0.figure.chart.unit)" },
            rows: panel.runs.enumerated().map { index, run in
                let facts = run.summary.run
                let before = panel.runs[max(0, index - 1)].summary.run.matcher.digest
                let answers = facts.matcher.digest == before ? "same" : "other"
                let commit = ProvenanceContent.short(facts.commit)
                return [String(index + 1), facts.startedAt, facts.matcher.version, commit, answers]
                    + panel.tracks.map { track in
                        let point = track.points.first { $0.x == Double(index + 1) }
                        return NumberText.optional(point) { NumberText.significant($0.y, digits: 3) }
                    }
            })
        for (row, run) in panel.runs.enumerated() { table.rows[row].address = pages[run.path] ?? "" }
        return table
    }

    /// The changes on the page and in the JSON of a site.
    static var changeColumns: [Table<Change>.Column] {
        func value(_ name: String, _ number: @escaping (Change) -> Double) -> Table<Change>.Column {
            .init(name, head: name, as: { NumberText.significant($0, digits: 3) }, number: number)
        }
        return [
            .init("figure", head: "figure", text: \.figure.name), .init("run", count: \.run),
            .init("from run") { "\($0.run)" }, .init("started", for: \.facts.startedAt),
            .init("version", for: \.facts.matcher.version), .init("commit", text: \.facts.commit),
            .init("commit", for: \.commit), value("before", \.level.before), value("after", \.level.after),
            .init("unit", head: "unit", text: \.figure.chart.unit),
            .init("probability", head: "p", as: NumberText.probability, number: \.level.probability),
            .init("isWorse", flag: \.isWorse),
        ]
    }

    /// `history.csv`: one row for each figure of each run.
    var csv: String {
        typealias Row = (panel: Panel, track: Track, index: Int)
        let rows = panels.flatMap { panel in
            panel.tracks.flatMap { track in track.points.indices.map { Row(panel, track, $0) } }
        }
        func facts(_ row: Row) -> RunFacts {
            row.panel.runs[Int(row.track.points[row.index].x) - 1].summary.run
        }
        return Table<Row>([
            .init("panel", text: { $0.panel.name }),
            .init("run", count: { Int($0.track.points[$0.index].x) }),
            .init("startedAt", text: { facts($0).startedAt }),
            .init("version", text: { facts($0).matcher.version }),
            .init("commit", text: { facts($0).commit }),
            .init("answersDigest", text: { facts($0).matcher.digest }),
            .init("figure", text: { $0.track.figure.name }),
            .init("unit", text: { $0.track.figure.chart.unit }),
            .init("value", number: { $0.track.points[$0.index].y }),
            .init("lower", number: { $0.track.points[$0.index].lower }),
            .init("upper", number: { $0.track.points[$0.index].upper }),
            .init("level", number: { $0.track.found.levels[$0.index] }),
            .init(
                "changes",
                count: { row in row.track.found.changes.contains { $0.index == row.index } ? 1 : 0 }),
        ]).csv(rows)
    }
}
