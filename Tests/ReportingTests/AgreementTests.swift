import Evaluation
import Foundation
import Matchers
import Metrics
import Reporting
import Testing

private let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)

@Test func pageAndTableSayTheSame() throws {
    let report = try WrittenReport(sample)
    let table = ReadTable(report.cells)
    let page = Dictionary(
        uniqueKeysWithValues: report.pageCells.map { fields in
            ("\(fields["degradation"]!)|\(fields["severity"]!)|\(fields["length"]!)", fields)
        })
    #expect(table.rows.count == sample.cells.count)
    #expect(page.count == table.rows.count)
    var compared = 0
    for row in table.rows {
        let key = "\(row["degradation"]!)|\(row["severity"]!)|\(row["lengthSeconds"]!)"
        let fields = try #require(page[key], "\(key) is not in the page")
        for (name, value) in fields where !["degradation", "severity", "length"].contains(name) {
            #expect(row[name] == value, "\(name) of \(key)")
            compared += 1
        }
        #expect(row["status"] != "ok" || fields.count >= 18, "figures of \(key) are missing in the page")
    }
    #expect(compared > 16 * 80)
}

@Test func summaryAndTableSayTheSame() throws {
    struct Summary: Decodable {
        struct Rate: Decodable {
            let count: Int
            let of: Int
            let rate: Double
        }
        struct Figures: Decodable {
            let trials: Int
            let outcomes: [String: Int]
            let recall: Rate
            let falseAcceptRate: Rate
            let recallAtZeroFalseAccepts: Rate
        }
        let overall: Figures
        let groups: [String: Figures]
        let run: RunFacts
    }
    let report = try WrittenReport(sample)
    let summary = try JSONDecoder().decode(Summary.self, from: Data(report.summary.utf8))
    let trials = ReadTable(report.trials).rows
    let cells = ReadTable(report.cells).rows
    #expect(summary.run == SampleRun.facts)
    #expect(summary.overall.trials == trials.count)
    for outcome in Outcome.allCases {
        let count = summary.overall.outcomes[outcome.rawValue]
        #expect(count == trials.count { $0["outcome"] == outcome.rawValue })
        #expect(count == cells.reduce(0) { $0 + Int($1[outcome.rawValue]!)! })
        #expect(count == summary.groups.values.reduce(0) { $0 + ($1.outcomes[outcome.rawValue] ?? 0) })
    }
    #expect(
        summary.overall.recall.rate == Double(summary.overall.recall.count)
            / Double(summary.overall.recall.of))
    let atZero = cells.reduce(0) { $0 + Int($1["recallAtZeroFalseAcceptsCount"]!)! }
    #expect(summary.overall.recallAtZeroFalseAccepts.count == atZero)
    #expect(
        SummaryTable.text(sample).contains("\(NumberFormatting.grouped(summary.overall.recall.count)) of"))
}

/// The terminal writes counts with commas.
private enum NumberFormatting {
    static func grouped(_ value: Int) -> String {
        value < 1000 ? "\(value)" : "\(value / 1000)," + String(format: "%03d", value % 1000)
    }
}

@Test func everyTrialThatRanHasOneOutcome() {
    let ran = sample.trials.count { $0.record.isOffered }
    #expect(sample.overall.outcomes.trials == ran)
    #expect(sample.overall.notOffered == sample.trials.count - ran)
    #expect(sample.cells.reduce(0) { $0 + $1.score.trials } == sample.trials.count)
    #expect(sample.groups.reduce(0) { $0 + $1.score.trials } == sample.trials.count)
    #expect(sample.groups.flatMap(\.cells).count == sample.cells.count)
}

@Test func orderOfRecordsChangesNothing() throws {
    let records = SampleRun.records(positives: 4, negatives: 2)
    var generator = SystemRandomNumberGenerator()
    let one = try WrittenReport(ReportModel(records: records, facts: SampleRun.facts))
    let shuffled = records.shuffled(using: &generator)
    let other = try WrittenReport(ReportModel(records: shuffled, facts: SampleRun.facts))
    #expect(one.trials == other.trials)
    #expect(one.cells == other.cells)
    #expect(one.summary == other.summary)
    #expect(one.page == other.page)
}

@Test func latencyChangesTheLastColumnsOnly() throws {
    var records = SampleRun.records(positives: 4, negatives: 2)
    let one = try WrittenReport(ReportModel(records: records, facts: SampleRun.facts))
    for index in records.indices { records[index].latency = .init(milliseconds: Double(index) + 0.25) }
    let other = try WrittenReport(ReportModel(records: records, facts: SampleRun.facts))
    #expect(one.trials != other.trials)
    for (a, b) in [(one.trials, other.trials), (one.cells, other.cells)] {
        let columns = ReadTable(a).columns
        let latency = columns.filter { $0.contains("Milliseconds") || $0.hasPrefix("latency") }
        #expect(!latency.isEmpty)
        #expect(Array(columns.suffix(latency.count)) == latency)
        for (left, right) in zip(ReadTable(a).rows, ReadTable(b).rows) {
            for column in columns where !latency.contains(column) { #expect(left[column] == right[column]) }
        }
    }
}

@Test func aMatcherThatNeverAnswersHasNoRecallAnywhere() {
    let records = SampleRun.records(positives: 3, negatives: 2).map { record in
        var record = record
        record.candidates = []
        return record
    }
    let model = ReportModel(records: records, facts: SampleRun.facts)
    for cell in model.cells where !cell.score.isNotOffered {
        #expect(cell.score.outcomes.recall.rate == 0)
        #expect(cell.score.outcomes.falseAcceptRate.rate == 0)
    }
    #expect(model.overall.frequencySkewError == nil)
    #expect(model.zeroFalseAccepts.recall.rate == 0)
}

@Test func aMatcherThatKnowsTheTruthIsPerfectEverywhere() throws {
    let records = SampleRun.records(positives: 3, negatives: 2).map { record in
        var record = record
        record.candidates =
            record.truth.map { truth in
                [
                    Candidate(
                        referenceID: record.truthReferences[0], offsetSeconds: truth.offsetSeconds ?? 0,
                        frequencySkew: truth.frequencySkew, timeSkew: truth.timeSkew, score: .infinity,
                        confidence: 1,
                        isAccepted: true)
                ]
            } ?? []
        return record
    }
    let model = ReportModel(records: records, facts: SampleRun.facts)
    for cell in model.cells where !cell.score.isNotOffered {
        #expect(cell.score.outcomes.recall.rate == 1)
        #expect(cell.score.recallAtZeroFalseAccepts.rate == 1)
        #expect(cell.score.offsetError?.maximumAbsolute == 0)
        #expect(cell.score.frequencySkewError?.maximumAbsolute == 0)
        #expect(cell.score.timeSkewError?.maximumAbsolute == 0)
    }
    #expect(model.trials.allSatisfy { $0.outcome?.isRight != false })
    #expect(try WrittenReport(model).page.contains("Trials (0 failed)"))
}
