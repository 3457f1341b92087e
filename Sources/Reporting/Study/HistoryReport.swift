import Corpora
import Foundation
import Metrics
import SystemIO

/// Many runs of the same trials in the order in which they were made, with the places where figures change.
package struct HistoryReport: Sendable {
    /// Runs of one panel of trials, the only ones that can be compared.
    struct Panel: Sendable {
        let name: String
        let runs: [HistoryRun]
        let tracks: [Track]
    }

    /// A figure over the runs that have it.
    struct Track: Sendable {
        let figure: HistoryFigure
        /// Points whose x is the number of the run, from 1.
        let points: [LineChart.Point]
        let found: ChangePoints
    }

    let panels: [Panel]

    /// The greatest probability at which a change of level is one.
    static let level = 0.05

    /// Orders runs by the time at which they began, those of other trials apart.
    package init(_ runs: [HistoryRun]) {
        let ordered = runs.sorted {
            ($0.summary.run.startedAt, $0.path) < ($1.summary.run.startedAt, $1.path)
        }
        var names: [String] = []
        var members: [String: [HistoryRun]] = [:]
        for run in ordered {
            let facts = run.summary.run
            let key =
                facts.panelDigest ?? "\(facts.planDigest) \(facts.corpusDigest) \(facts.half) \(facts.seed)"
            let name = "\(key) \(facts.matcher.name)"
            if members[name] == nil { names.append(name) }
            members[name, default: []].append(run)
        }
        panels = names.compactMap { name in members[name].map(Panel.init) }
    }

    /// Writes `history.html` and `history.csv` into `folder`, which is made when it does not exist.
    ///
    /// - Returns: the path of the page.
    package func write(to folder: String, charts: ChartLibrary? = .installed()) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try AtomicFile.write(csv, to: "\(folder)/history.csv")
        let page = "\(folder)/history.html"
        try AtomicFile.write(try html(charts: charts), to: page)
        return page
    }

    /// The changes as lines of text.
    package var summary: String {
        panels.map { panel in
            let changes = panel.tracks.flatMap { track in
                track.found.changes.map { change in
                    "  run \(Self.run(change, of: track)): \(track.figure.name) \(Self.words(change, track))"
                }
            }
            let none = ["  no figure changes its level"]
            return (["\(panel.name), \(panel.runs.count) runs"] + (changes.isEmpty ? none : changes))
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The number of the first run after a change.
    static func run(_ change: ChangePoints.Change, of track: Track) -> Int {
        Int(track.points[change.index].x)
    }

    /// A change in words: from what to what, and how sure.
    static func words(_ change: ChangePoints.Change, _ track: Track) -> String {
        let ends = [change.before, change.after].map { NumberText.significant($0, digits: 3) }
        return "\(ends[0]) → \(ends[1]) \(track.figure.chart.unit) "
            + "(p \(NumberText.probability(change.probability)))"
    }
}

extension HistoryReport.Panel {
    fileprivate init(_ runs: [HistoryRun]) {
        self.runs = runs
        let facts = runs.first?.summary.run
        name =
            facts.map {
                "\($0.matcher.name), \($0.planName) on \($0.corpusName), \($0.half) half, seed \($0.seed)"
            }
            ?? ""
        tracks = HistoryFigure.all.compactMap { figure in
            let points = runs.enumerated().compactMap { number, run in
                figure.value(run.summary).map {
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
