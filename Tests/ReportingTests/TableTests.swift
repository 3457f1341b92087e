import Evaluation
import Foundation
import Reporting
import Testing

@Test func fieldsReadBackUnchanged() throws {
    let texts = [
        "plain", "a,b", "say \"hi\"", "two\r\nlines", "two\nlines", "", "\"\u{301}", "ü – 音", " blank ",
    ]
    var records: [TrialRecord] = []
    for (index, text) in texts.enumerated() {
        var record = SampleRun.records(positives: 1, negatives: 0)[0]
        record.trial.index = index
        record.trial.id = "t\(index)"
        record.trial.source = text
        record.error = text
        records.append(record)
    }
    let table = ReadTable(try WrittenReport(ReportModel(records: records, facts: SampleRun.facts)).trials)
    #expect(table.rows.count == texts.count)
    for (row, text) in zip(table.rows, texts) {
        #expect(row["source"] == text)
        #expect(row["error"] == text)
        #expect(row.count == table.columns.count)
    }
}

@Test func numbersReadBackAsTheSameDouble() throws {
    let records = SampleRun.records(positives: 6, negatives: 2)
    let model = ReportModel(records: records, facts: SampleRun.facts)
    let rows = ReadTable(try WrittenReport(model).trials).rows
    try #require(rows.count == records.count)
    for (row, trial) in zip(rows, model.trials) {
        #expect(row["truthOffsetSeconds"].flatMap(Double.init) == trial.record.truth?.offsetSeconds)
        #expect(row["answerScore"].flatMap(Double.init) == trial.claim?.score)
        #expect(row["offsetErrorSeconds"].flatMap(Double.init) == trial.offsetErrorSeconds)
        #expect(row["frequencySkewError"].flatMap(Double.init) == trial.frequencySkewError)
        #expect(row["matchMilliseconds"].flatMap(Double.init) == trial.record.latency?.milliseconds)
    }
}

@Test func aRateIs100OnlyWithoutMisses() {
    var records: [TrialRecord] = []
    let found = SampleRun.records(positives: 1, negatives: 0).first {
        $0.candidates.first?.isAccepted == true
    }!
    for index in 0..<10_000 {
        var record = found
        record.trial.index = index
        record.trial.id = "t\(index)"
        if index == 17 { record.candidates = [] }
        records.append(record)
    }
    let text = SummaryTable.text(ReportModel(records: records, facts: SampleRun.facts))
    #expect(text.contains("99.99 %"))
    #expect(!text.contains("Recall                       100"))
}

@Test func theTableFitsATerminal() {
    var records = SampleRun.records()
    for index in records.indices where records[index].trial.cell.degradation == "babble" {
        records[index].trial.cell.degradation = String(repeating: "babble of many voices ", count: 8)
    }
    let text = SummaryTable.text(ReportModel(records: records, facts: SampleRun.facts))
    #expect(text.contains("…"))
    for line in text.split(separator: "\n") { #expect(line.count <= 96, "\(line)") }
    #expect(text.hasSuffix("\n"))
    #expect(!text.contains("\u{A0}"))
}

@Test func aFolderThatCannotBeMadeIsAnError() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let model = ReportModel(records: [], facts: SampleRun.facts)
    #expect(throws: (any Error).self) { try model.write(to: file.path + "/report") }
}
