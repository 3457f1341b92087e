import Evaluation
import Foundation
import Reporting
import Testing

/// A figure of the list is wherever its declaration says, with one value.
@Suite struct ScoreFigureTests {
    private static let model = ReportModel(
        records: SampleRun.records(positives: 8, negatives: 4), facts: SampleRun.facts)

    @Test func namesAreUniqueAndReferToFigures() {
        let ids = ScoreFigure.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        let measures = TrialMeasure.all.map(\.name)
        #expect(Set(measures).count == measures.count)
        for figure in ScoreFigure.all {
            #expect(!figure.title.isEmpty && !figure.meaning.isEmpty, "\(figure.id)")
            if case .first = figure.value {
                #expect(!figure.sources.isEmpty && figure.sources.allSatisfy { $0.places.contains(.summary) })
            }
            guard let whole = figure.partOf else { continue }
            #expect(ScoreFigure.named(whole.id)?.places.contains(.terminal) == true, "\(figure.id)")
        }
    }

    @Test func tablesHaveTheFiguresOfScorecards() throws {
        let written = try WrittenReport(Self.model)
        let (cells, recordings) = (ReadTable(written.cells), ReadTable(written.recordings))
        for figure in ScoreFigure.all {
            let name = figure.mainColumn
            #expect(cells.columns.contains(name) == figure.places.contains(.cells), "\(figure.id)")
            guard figure.places.contains(.cells) else { continue }
            for (row, cell) in zip(cells.rows, Self.model.cells) {
                #expect(row[name].flatMap(Double.init) == figure.number(in: cell.score), "\(name)")
            }
            guard figure.places.contains(.recordings) else { continue }
            for (row, recording) in zip(recordings.rows, Self.model.recordings) {
                #expect(row[name].flatMap(Double.init) == figure.number(in: recording.score), "\(name)")
            }
        }
    }

    @Test func theSummaryHasTheFiguresOfTheRun() throws {
        let written = try WrittenReport(Self.model)
        let summary = try #require(
            JSONSerialization.jsonObject(with: Data(written.summary.utf8)) as? [String: Any])
        let overall = try #require(summary["overall"] as? [String: Any])
        let score = Self.model.overall
        for figure in ScoreFigure.all where figure.number(in: score) != nil {
            #expect((overall[figure.key] != nil) == figure.places.contains(.summary), "\(figure.id)")
            let value = overall[figure.key] as? [String: Any]
            let number = value?["rate"] ?? value?["medianAbsolute"] ?? overall[figure.key]
            guard figure.places.contains(.summary) else { continue }
            let expected = try #require(figure.number(in: score))
            #expect(Self.isEqual(number, expected), "\(figure.id)")
            guard let interval = figure.interval(of: score) else { continue }
            #expect(Self.isEqual(value?["lower"], interval.lower), "\(figure.id)")
        }
    }

    /// Whether a number that was read is `expected`; Foundation's JSON reader is off by an ulp or two.
    private static func isEqual(_ number: Any?, _ expected: Double) -> Bool {
        (number as? Double).map { abs($0 - expected) <= 1e-14 * abs(expected) } == true
    }

    @Test func theTerminalAndAHistoryHaveTheirFigures() throws {
        let lines = SummaryTable.text(Self.model).split(separator: "\n")
        for figure in ScoreFigure.shown(in: .terminal) where figure.kind == .rate {
            let name = figure.partOf.map { "  \($0.title)" } ?? figure.title
            #expect(lines.contains { $0.hasPrefix(name + "  ") }, "\(figure.id)")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.model.write(to: folder, charts: nil)
        try HistoryReport([HistoryRun(path: folder + "/summary.json")]).write(to: folder, charts: nil)
        let history = ReadTable(try String(contentsOfFile: folder + "/history.csv", encoding: .utf8))
        for figure in ScoreFigure.shown(in: .history) where figure.kind == .rate {
            let row = history.rows.first { $0["figure"] == figure.title.lowercased() }
            let value = try #require(figure.number(in: Self.model.overall))
            #expect(row?["value"].flatMap(Double.init) == value * 100, "\(figure.id)")
        }
    }
}
