import Evaluation
import Foundation
import Matchers
import Reporting
import Testing

/// The first screen of a report and of the terminal.
@Suite struct OverviewTests {
    private static let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

    private static func overview(_ model: ReportModel) throws -> String {
        let markup = try WrittenReport(model).markup
        let part = markup.components(separatedBy: "<section id=\"overview\"").dropFirst().first
        return try #require(part?.components(separatedBy: "<section id=\"conditions\"").first)
    }

    @Test func fiveTilesHoldTheMainFigures() throws {
        let overview = try Self.overview(Self.sample)
        let tiles = overview.matches(of: #/<dt><bdi>([^<]*)</bdi></dt><dd class="figure">([^<]*)</#)
        #expect(
            tiles.map { String($0.output.1) } == [
                "Recall", "False accepts", "Wrong references", "Offset error", "Time to answer",
            ])
        let counts = Self.sample.overall.outcomes
        #expect(
            tiles[1].output.2.replacing(",", with: "").hasSuffix(
                " of \(Self.sample.overall.falseAcceptRate.trials)"))
        #expect(tiles[2].output.2.hasPrefix("\(counts.wrongReference) of "))
    }

    @Test func aRunOnAFolderSaysWhatItsFilesAreFor() throws {
        var facts = SampleRun.facts
        let words = "31 files: 16 references, 7 of them queried; 14 negatives; 1 left out."
        facts.notes = [words, "Another note."]
        let overview = try Self.overview(ReportModel(records: SampleRun.records(), facts: facts))
        let seen = try #require(overview.components(separatedBy: "<details").first)
        #expect(seen.contains(words) && !seen.contains("Another note."))
    }

    /// The coloured bars are those that the list below names, so they come first.
    @Test func barsOfRecordingsAreSortedAsTheyAreColoured() throws {
        let bars = try Self.overview(Self.sample).matches(
            of: #/<li( class="worst")?><a href="#trials" data-text="([^"]*)" style/#)
        let worst = bars.filter { $0.output.1 != nil }
        #expect(!worst.isEmpty && worst.count < bars.count)
        #expect(bars.prefix(worst.count).allSatisfy { $0.output.1 != nil })
    }

    @Test func theVerdictNamesTheWeakestKindAndCondition() throws {
        let header = try #require(
            try WrittenReport(Self.sample).markup.components(separatedBy: "</header>").first)
        let weakest = try #require(
            Self.sample.groups.filter { $0.score.recall.trials > 0 }
                .min { ($0.score.recall.rate ?? 1) < ($1.score.recall.rate ?? 1) })
        let lowest = weakest.cells.compactMap(\.score.recall.rate).min() ?? 1
        let named = weakest.cells.filter { $0.score.recall.rate == lowest }
        #expect(header.contains("Weakest: \(weakest.group.title.lowercased())"))
        #expect(named.contains { header.contains(" in \($0.key.degradation) ") })
    }

    @Test func eachKindNamesItsWeakestCondition() throws {
        let overview = try Self.overview(Self.sample)
        let rows = overview.matches(of: #/<th scope="row"><a href="#group-([A-Za-z]+)">[\s\S]*?</tr>/#)
        let groups = Self.sample.groups.filter { $0.score.recall.trials > 0 }
        #expect(rows.map { String($0.output.1) } == groups.map(\.group.rawValue))
        for (row, group) in zip(rows, groups) {
            let isFound = group.score.recall.rate == 1
            #expect(
                row.output.0.contains("condition\(group.cells.count == 1 ? "" : "s") found</td>") == isFound)
            #expect(row.output.0.contains("data-condition=\"cell-") != isFound)
        }
    }

    @Test func ratiosOfAllNoisesShareTheirColumns() throws {
        let overview = try Self.overview(Self.sample)
        let table = try #require(overview.firstMatch(of: #/<table class="noises">([\s\S]*?)</table>/#)).output
            .1
        let columns = table.matches(of: #/<th scope="col">([^<]+)</th>/#).map { String($0.output.1) }
        #expect(columns == ["+20", "+10", "+5", "0", "−3", "−6", "−9"])
        let rows = table.matches(of: #/<tr><th scope="row"><bdi>([^<]*)</bdi></th>([\s\S]*?)</tr>/#)
        #expect(rows.count == 6)
        for row in rows {
            let cells = row.output.2.matches(of: #/<td>(.*?)</td>/#).map { String($0.output.1) }
            #expect(cells.count == columns.count)
            for (column, cell) in zip(columns, cells) where !cell.isEmpty {
                let ratio = column.replacing("+", with: "")
                #expect(cell.contains("title=\"\(row.output.1) \(ratio)\u{A0}dB, 5\u{A0}s: "), "\(cell)")
            }
        }
    }

    @Test func whatIsFoundIsFolded() throws {
        let markup = try WrittenReport(Self.sample).markup
        let conditions = try #require(markup.components(separatedBy: "<section id=\"conditions\"").last)
        let folded = conditions.components(separatedBy: "<details").dropFirst()
            .compactMap { $0.components(separatedBy: "</details>").first }.joined()
        for (number, cell) in Self.sample.cells.enumerated() {
            let isFound = cell.score.recall.rate == 1 && cell.score.outcomes.falseAccept == 0
            guard isFound, cell.score.errors == 0 else { continue }
            #expect(folded.contains("<tr id=\"cell-\(number + 1)\""), "\(cell.key)")
        }
        #expect(conditions.contains("every query found</summary>"))
    }

    @Test func withoutNegativesNothingIsSaidOfFalseAccepts() throws {
        let model = ReportModel(
            records: SampleRun.records().filter(\.trial.isPositive), facts: SampleRun.facts)
        let overview = try Self.overview(model)
        #expect(overview.contains("no negatives") && !overview.contains("0 false accepts"))
        for text in [SummaryTable.text(model), SummaryTable.brief(model)] {
            #expect(!text.contains("0 false accepts"))
        }
        #expect(SummaryTable.text(Self.sample).contains("0 false accepts"))
    }

    /// Equal negatives count once, in the sentence as in the tile.
    @Test func falseAcceptsHaveOneDenominator() throws {
        var records = SampleRun.records(positives: 4, negatives: 3)
        let negatives = records.indices.filter { !records[$0].trial.isPositive && records[$0].isOffered }
        for index in negatives.prefix(4) {
            records[index].query?.digest = "same"
            (records[index].candidates[0].isAccepted, records[index].candidates[0].score) = (true, 99)
        }
        let model = ReportModel(records: records, facts: SampleRun.facts)
        let rate = model.overall.falseAcceptRate
        #expect(rate.trials == model.overall.outcomes.negatives - 3)
        let page = try WrittenReport(model).markup
        #expect(
            page.contains(
                "accepts \(rate.successes) of \(rate.trials) queries of unknown recordings, equal samples counted once"
            ))
        #expect(page.contains("\(rate.successes) of \(rate.trials)<"))
    }

    @Test func aTypicalMissCanBeOpened() throws {
        let overview = try Self.overview(Self.sample)
        let place = try #require(overview.firstMatch(of: #/<a href="#trials" data-trial="(\d+)">open</#))
            .output.1
        let trial = Self.sample.trials[try #require(Int(place))]
        #expect(trial.outcome == .missed || trial.outcome == .wrongReference)
        let perfect = ReportModel(
            records: SampleRun.records().filter { record in
                record.trial.isPositive && record.candidates.first?.isAccepted == true
                    && record.truthReferences.contains(record.candidates[0].referenceID)
            }, facts: SampleRun.facts)
        #expect(try !Self.overview(perfect).contains("A typical miss"))
        #expect(try !WrittenReport(perfect).markup.contains("class=\"weakness\""))
    }

    @Test func namesCannotSteerTheTerminal() {
        var records = SampleRun.records(positives: 6, negatives: 1)
        for index in records.indices {
            records[index].trial.source = "a\u{1B}[31m\u{202E}\(index % 9).ogg"
            records[index].trial.cell.degradation += "\u{9B}2J\u{7}"
        }
        let model = ReportModel(records: records, facts: SampleRun.facts)
        for text in [SummaryTable.brief(model), SummaryTable.text(model)] {
            #expect(text.contains("[31m") && text.contains("2J"))
            for scalar in text.unicodeScalars where scalar != "\n" {
                #expect(scalar.value >= 32 && !(0x7F...0x9F).contains(scalar.value) && scalar != "\u{202E}")
            }
        }
    }

    @Test func theTerminalHasTheFirstScreenInFifteenLines() {
        let text = SummaryTable.brief(Self.sample)
        let lines = text.split(separator: "\n")
        #expect(lines.count <= 15 && lines.allSatisfy { $0.count <= 90 }, "\(text)")
        #expect(lines.dropFirst().allSatisfy { $0.count <= 80 }, "\(text)")
        for word in ["Recall", "False accepts", "Weakest conditions", "Weakest recordings", "--table"] {
            #expect(text.contains(word))
        }
        #expect(!text.contains("\u{A0}") && !text.contains(" \n"))
    }
}
