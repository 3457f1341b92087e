import Evaluation
import Matchers
import Reporting
import Testing

@Suite struct RecordingTests {
    private static let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

    /// Ten queries of each of six recordings, of which so many are missed.
    private func model(missed: [Int]) -> ReportModel {
        let truth = Truth(offsetSeconds: 3, frequencySkew: 0, timeSkew: 0, skewChangePerSecond: 0)
        let cell = Cell(degradation: "clean", severity: "", severityValue: nil, lengthSeconds: 5)
        let records = missed.enumerated().flatMap { recording, missed in
            (0..<10).map { number in
                var record = SampleRun.record(
                    "\(recording)-\(number)", recording * 10 + number, cell, isPositive: true,
                    source: "Album/Piece \(recording).ogg", references: ["\(recording)"], truth: truth)
                if number >= missed {
                    record.candidates = [
                        Candidate(referenceID: "\(recording)", offsetSeconds: 3, score: 40, isAccepted: true)
                    ]
                }
                return record
            }
        }
        return ReportModel(records: records, facts: SampleRun.facts)
    }

    @Test func missesOfRecordingsSumToThoseOfTheRun() {
        let model = Self.sample
        let counts = model.overall.outcomes
        #expect(model.recordings.reduce(0) { $0 + $1.score.outcomes.positives } == counts.positives)
        #expect(model.recordings.reduce(0) { $0 + $1.misses } == counts.missed + counts.wrongReference)
        #expect(model.recordings.map(\.misses) == model.recordings.map(\.misses).sorted(by: >))
        #expect(Set(model.recordings.map(\.name)).count == model.recordings.count)
    }

    @Test func theWorstRecordingsAreNamedOnTheFirstScreen() throws {
        let model = model(missed: [0, 5, 1, 3, 2, 1])
        let markup = try WrittenReport(model).markup
        let header = try #require(markup.components(separatedBy: "</header>").first)
        #expect(header.contains("11 of 12 misses come from 4 of 6 recordings."))
        let named = try #require(markup.firstMatch(of: #/<ol class="named">([\s\S]*?)</ol>/#)).output.1
        let titles = named.matches(of: #/<bdi>([^<]*)</bdi></a> <b>([^<]*)</#).map {
            "\($0.output.1) \($0.output.2)"
        }
        #expect(
            titles == [
                "Piece 1 50\u{A0}%", "Piece 3 70\u{A0}%", "Piece 4 80\u{A0}%", "Piece 2 90\u{A0}%",
            ])
        let bars = markup.matches(of: #/<li( class="worst")?><a href="#trials" data-text="([^"]*)" style=/#)
        #expect(bars.count == 6 && bars.count(where: { $0.output.1 != nil }) == 4)
        let table = SummaryTable.text(model)
        #expect(table.contains("Weakest recordings (11 of 12 misses)\n  Piece 1  50 %  5 of 10\n"))
    }

    @Test func aRunWithoutMissesOrWithFewRecordingsNamesNone() throws {
        for model in [model(missed: [0, 0, 0, 0, 0, 0]), model(missed: [9, 0, 0, 0])] {
            #expect(!SummaryTable.text(model).contains("Weakest recordings"))
        }
    }

    @Test func theTableOfRecordingsHoldsTheirFactors() throws {
        let rows = ReadTable(try WrittenReport(model(missed: [0, 5, 1, 3, 2, 1])).recordings).rows
        #expect(rows.map { $0["misses"] } == ["5", "3", "2", "1", "1", "0"])
        #expect(rows[0]["recording"] == "Album/Piece 1.ogg" && rows[0]["album"] == "Album")
        #expect(rows[0]["recall"] == "0.5" && rows[0]["loudnessDecibels"] == "")
    }
}
