import Corpora
import Evaluation
import Metrics

extension HistoryReport {
    /// `history.html`: charts of every figure and tables of changes and runs.
    func html(charts: ChartLibrary?) throws -> String {
        let runs = panels.reduce(0) { $0 + $1.runs.count }
        let changes = panels.flatMap(\.tracks).reduce(0) { $0 + $1.found.changes.count }
        return try FigurePage(
            title: "\(NumberText.count(runs)) runs",
            verdict: changes == 0
                ? "No figure changes its level."
                : "\(NumberText.count(changes)) \(changes == 1 ? "change" : "changes") of a figure's level.",
            scope:
                "Runs are compared where their trials are the same, in the order in which they were begun. "
                + "A change of level is found by energy statistics and permutation at p ≤ 0.05, which takes at "
                + "least eight runs; a single run against a baseline is judged by earshot gate.",
            sections: panels.enumerated().map { section($1, number: $0 + 1) }, notes: [],
            provenance: [
                ProvenanceRow(name: "Runs", value: panels.flatMap(\.runs).map(\.path).joined(separator: ", "))
            ],
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
                "Bands are 95 % intervals of single runs; broken lines are levels between changes. As the trials "
                + "are the same, figures of equal answers are equal, and only latency varies by itself.",
            charts: drawn, tables: [changes(of: panel), table(of: panel)])
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
                    LineChart.Series(name: "\(track.figure.name), level", points: levels, isStepped: true),
                ]
            })
    }

    private func changes(of panel: Panel) -> FigureTable {
        FigureTable(
            "Changes of level", head: "Figure",
            columns: ["from run", "begun", "version", "commit", "before", "after", "unit", "p"],
            rows: panel.tracks.flatMap { track in
                track.found.changes.map { change in
                    let run = Self.run(change, of: track)
                    let facts = panel.runs[run - 1].summary.run
                    return (
                        track.figure.name,
                        [
                            String(run), facts.startedAt, facts.matcher.version,
                            HeaderContent.short(facts.commit),
                            NumberText.significant(change.before, digits: 3),
                            NumberText.significant(change.after, digits: 3), track.figure.chart.unit,
                            NumberText.probability(change.probability),
                        ]
                    )
                }
            })
    }

    private func table(of panel: Panel) -> FigureTable {
        FigureTable(
            "Runs", head: "Run",
            columns: ["begun", "version", "commit", "answers"] + panel.tracks.map(\.figure.name),
            rows: panel.runs.enumerated().map { index, run in
                let facts = run.summary.run
                let before =
                    index > 0 ? panel.runs[index - 1].summary.run.matcher.digest : facts.matcher.digest
                let answers = facts.matcher.digest == before ? "same" : "other"
                return (
                    String(index + 1),
                    [facts.startedAt, facts.matcher.version, HeaderContent.short(facts.commit), answers]
                        + panel.tracks.map { track in
                            track.points.first { $0.x == Double(index + 1) }
                                .map { NumberText.significant($0.y, digits: 3) } ?? NumberText.missing
                        }
                )
            })
    }

    /// `history.csv`: a row for each figure of each run.
    var csv: String {
        typealias Row = (panel: Panel, track: Track, index: Int)
        let rows = panels.flatMap { panel in
            panel.tracks.flatMap { track in track.points.indices.map { Row(panel, track, $0) } }
        }
        func facts(_ row: Row) -> RunFacts {
            row.panel.runs[Int(row.track.points[row.index].x) - 1].summary.run
        }
        return CSVTable<Row>(columns: [
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
        ]).text(rows)
    }
}
