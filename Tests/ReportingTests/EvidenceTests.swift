import Evaluation
import Foundation
import Matchers
import Metrics
import Reporting
import Testing

/// A record whose best candidate, if it has a score, is of the right reference or of another one.
private func record(
    _ index: Int, of recording: String = "a", isPositive: Bool = true, names reference: String? = nil,
    confidence: Double? = nil, offset: Double = 10
) -> TrialRecord {
    var record = SampleRun.record(
        "t\(index)", index,
        Cell(degradation: "truncation", severity: "", severityValue: nil, lengthSeconds: 5),
        isPositive: isPositive, source: "\(recording).ogg", references: [recording],
        truth: .init(offsetSeconds: 10, frequencySkew: 0.02, timeSkew: 0.01, skewChangePerSecond: 0))
    record.sourceClass = recording
    if let reference {
        record.candidates = [
            Candidate(
                referenceID: reference, offsetSeconds: offset, score: 50, confidence: confidence,
                isAccepted: true)
        ]
    }
    return record
}

private func model(_ records: [TrialRecord]) -> ReportModel {
    ReportModel(records: records, facts: SampleRun.facts)
}

@Test func trialsOfOneRecordingWidenTheInterval() throws {
    // Half of the recordings are always found, the others never.
    func recall(recordings: Int) -> Proportion {
        model(
            (0..<120).map { index in
                let recording = index % recordings
                return record(index, of: "r\(recording)", names: recording % 2 == 0 ? "r\(recording)" : nil)
            }
        ).overall.recall
    }
    let many = recall(recordings: 120)
    let few = recall(recordings: 12)
    #expect(many.rate == 0.5 && few.rate == 0.5)
    #expect(many.clusters == 120 && few.clusters == 12)
    // Twelve recordings and one that is added.
    #expect((10...11).contains(few.effectiveTrials))
    let wide = try #require(few.wilsonInterval())
    let narrow = try #require(many.wilsonInterval())
    #expect(wide.lower < narrow.lower - 0.1 && wide.upper > narrow.upper + 0.1)
}

@Test func placesAndWrongReferencesAreOfRecordingsToo() {
    // Half of the recordings are always placed well, and a third of them always named wrongly.
    let records = (0..<120).map { index in
        let recording = index % 12
        return record(
            index, of: "r\(recording)", names: recording % 3 == 2 ? "x" : "r\(recording)",
            offset: recording < 6 ? 10 : 99)
    }
    let score = model(records).overall
    let rates = [
        (score.wrongReferenceRate, 1.0 / 3), (score.placedRecall, 1.0 / 3), (score.share(of: .right), 0.5),
        (score.share(of: .other), 0.5),
    ]
    for (proportion, rate) in rates {
        #expect(proportion.rate.map { abs($0 - rate) < 1e-9 } == true)
        #expect(proportion.effectiveTrials < 12)
    }
}

@Test func repeatedSilenceIsOneTrial() {
    let records = (0..<30).map { index -> TrialRecord in
        var silent = record(index, isPositive: false)
        (silent.trial.source, silent.sourceClass) = ("silence", "")
        return silent
    }
    #expect(model(records).overall.falseAcceptRate.effectiveTrials == 1)
}

@Test func positivesAndNegativesHaveEqualWeightInConfidence() throws {
    let records =
        (0..<8).map { record($0, of: "r\($0)", names: "r\($0)", confidence: 1) }
        + [record(8, of: "n", isPositive: false, names: "a", confidence: 1)]
    let reliability = try #require(model(records).reliability)
    #expect(reliability.count == 9)
    #expect(reliability.bins.count == 1)
    #expect(abs(reliability.bins[0].observed - 0.5) < 1e-12)
    #expect(abs(reliability.brierScore - 0.5) < 1e-12)
    #expect(abs(reliability.expectedCalibrationError - 0.5) < 1e-12)
    #expect(model(Array(records.prefix(8))).reliability == nil)
    #expect(model(Array(records.suffix(1))).reliability == nil)
}

@Test func aConfidenceIsAboutThePlaceToo() throws {
    func happened(_ record: TrialRecord) throws -> Bool {
        try #require(JudgedTrial(record, threshold: nil).forecast).happened
    }
    #expect(try happened(record(0, names: "a", confidence: 0.7)))
    #expect(try !happened(record(0, names: "b", confidence: 0.7)))
    var elsewhere = record(0, names: "a", confidence: 0.7, offset: 40)
    #expect(try !happened(elsewhere))
    elsewhere.repetition = RepeatSearch(correlation: 0.9, offsetErrorSeconds: 0.001)
    #expect(try happened(elsewhere))
    #expect(JudgedTrial(record(0, names: "a"), threshold: nil).forecast == nil)
    #expect(model([record(0, names: "a")]).reliability == nil)
    let records = [
        record(0, names: "a", confidence: 0.7), record(1, names: "b", confidence: 0.7), record(2, names: "a"),
    ]
    let rows = try ReadTable(WrittenReport(model(records)).trials).rows
    #expect(rows.map { $0["bestIsRight"] } == ["true", "false", ""])
    // What was not claimed still states a confidence.
    #expect(JudgedTrial(record(0, names: "a", confidence: 0.1), threshold: 99).forecast != nil)
}

@Test func bestCandidatesCountAtAnyScore() {
    var low = record(0, names: "a")
    // Below the threshold of the facts.
    low.candidates[0].score = 10
    let score = model([low, record(1, of: "b", names: "a"), record(2, of: "c")]).overall
    #expect(score.recall.successes == 0)
    #expect(score.rightTopAnswers.successes == 1 && score.rightTopAnswers.trials == 3)
}

@Test func negativesCountTheirAudioOnce() throws {
    let spans: [(String, Double, Double)] = [("a", 0, 5), ("a", 3, 8), ("b", 0, 5)]
    var records = spans.enumerated().map { index, span -> TrialRecord in
        var negative = record(index, of: span.0, isPositive: false)
        negative.query?.sourceStartSeconds = span.1
        negative.query?.sourceEndSeconds = span.2
        return negative
    }
    var positive = record(3, of: "c", names: "c")
    positive.query?.sourceStartSeconds = 0
    positive.query?.sourceEndSeconds = 100
    records.append(positive)
    let report = model(records)
    #expect(report.overall.distinctNegativeSeconds == 13)
    let bound = try #require(report.overall.falseAcceptRate.upperBound())
    // Three queries of two recordings tell less than two trials, of which none failed.
    #expect(bound > 1 - pow(0.05, 1.0 / 2))
    #expect(SummaryTable.text(report).contains("13.0 s of 2 recordings"))
}

@Test func measuredSkewsAndTheirStatedErrorsAreJudged() throws {
    var records = (0..<4).map { record($0, of: "r\($0)", names: "r\($0)") }
    for (index, error) in [1e-5, -3e-5, 0, 2e-5].enumerated() {
        records[index].candidates[0].frequencySkew = 0.02
        records[index].candidates[0].freeFrequencySkew = 0.02 + error
        records[index].candidates[0].frequencySkewStandardError = 1e-5
    }
    let score = model(records).overall
    #expect(score.frequencySkewError?.maximumAbsolute == 0)
    let free = try #require(score.freeFrequencySkewError)
    #expect(abs(free.maximumAbsolute - 3e-5) < 1e-12)
    #expect(abs(free.medianAbsolute - 1.5e-5) < 1e-12)
    // 0 and 1 of the standard error lie within 1.96 of it, 2 and 3 do not.
    #expect(score.frequencySkewCoverage.successes == 2 && score.frequencySkewCoverage.trials == 4)
    #expect(score.freeTimeSkewError == nil && score.timeSkewCoverage.trials == 0)
}

@Test func theTableOfConfidenceHoldsTheDiagram() throws {
    let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)
    let diagram = try #require(sample.reliability)
    let report = try WrittenReport(sample)
    let rows = ReadTable(report.reliability).rows
    #expect(rows.count == diagram.bins.count && rows.count > 5)
    for (row, bin) in zip(rows, diagram.bins) {
        #expect(row["stated"].flatMap(Double.init) == bin.stated)
        #expect(row["observed"].flatMap(Double.init) == bin.observed)
        #expect(row["answers"].flatMap { Int($0) } == bin.count)
    }
    #expect(report.page.contains("id=\"confidence\""))
    let silent = try WrittenReport(model([record(0, names: "a")]))
    #expect(ReadTable(silent.reliability).rows.isEmpty)
    #expect(!silent.page.contains("id=\"confidence\""))
}

@Test func theTerminalNamesEveryCondition() {
    let sample = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)
    let lines = SummaryTable.text(sample).split(separator: "\n")
    let tested = sample.cells.filter { $0.score.outcomes.positives > 0 }
    let heading = lines.firstIndex { $0.hasPrefix("Condition ") }
    #expect(heading == 1)
    #expect(lines.prefix { !$0.hasPrefix("earshot") }.count == 2 + tested.count)
}
