import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics
import Reporting
import Testing

private func record(isPositive: Bool = true, candidates: [Candidate]) -> TrialRecord {
    var record = SampleRun.record(
        "t", 0, Cell(degradation: "truncation", severity: "", severityValue: nil, lengthSeconds: 5),
        isPositive: isPositive, source: "a.ogg", references: ["a", "a2"],
        truth: .init(offsetSeconds: 10, frequencySkew: 0.02, timeSkew: 0.01, skewChangePerSecond: 0))
    record.sourceClass = "a"
    record.candidates = candidates
    return record
}

private func candidate(
    _ id: String, score: Double = 50, offset: Double = 10, accepted: Bool = true
) -> Candidate {
    Candidate(
        referenceID: id, offsetSeconds: offset, frequencySkew: 0.0203, timeSkew: nil, score: score,
        isAccepted: accepted)
}

@Test func theFirstCandidateAtTheThresholdIsTheClaim() {
    let trial = record(candidates: [
        candidate("b", score: 30), candidate("a", score: 40), candidate("c", score: 50),
    ])
    #expect(JudgedTrial(trial, threshold: 40).outcome == .correct)
    #expect(JudgedTrial(trial, threshold: 30).outcome == .wrongReference)
    #expect(JudgedTrial(trial, threshold: 41).outcome == .wrongReference)
    #expect(JudgedTrial(trial, threshold: 51).outcome == .missed)
    #expect(JudgedTrial(trial, threshold: 30).rightRank == 2)
}

@Test func withoutAThresholdTheMatcherDecides() {
    let trial = record(candidates: [candidate("b", accepted: false), candidate("a", score: 1)])
    #expect(JudgedTrial(trial, threshold: nil).outcome == .correct)
    let none = record(candidates: [candidate("a", accepted: false)])
    #expect(JudgedTrial(none, threshold: nil).outcome == .missed)
}

@Test func anyMemberOfTheClassIsRightWhereverThePlace() {
    let trial = JudgedTrial(record(candidates: [candidate("a2", offset: 99)]), threshold: nil)
    #expect(trial.outcome == .correct)
    #expect(trial.place == .other)
    #expect(trial.strictOffsetErrorSeconds == 89)
    #expect(trial.offsetErrorSeconds == 89)
}

@Test func membersOfAClassMayStartElsewhere() {
    var raw = record(candidates: [candidate("a2", offset: 12.5)])
    raw.truthOffsetDeltas = ["a2": 2.5]
    let trial = JudgedTrial(raw, threshold: nil)
    #expect(trial.strictOffsetErrorSeconds == 0)
    #expect(trial.place == .right)
}

@Test func aReferenceThatOnlySharesAPassageHasNoOffsetToJudge() {
    var raw = record(candidates: [candidate("a2")])
    raw.truthOffsetDeltas = ["a": 0]
    let trial = JudgedTrial(raw, threshold: nil)
    #expect(trial.outcome == .correct)
    #expect(trial.strictOffsetErrorSeconds == nil && trial.offsetErrorSeconds == nil && trial.place == nil)
    #expect(trial.frequencySkewError != nil)
}

@Test func anAnswerWithoutAPositionIsJudgedByItsRecording() throws {
    var raw = record(candidates: [candidate("a")])
    raw.candidates[0].offsetSeconds = nil
    raw.candidates[0].confidence = 0.9
    let trial = JudgedTrial(raw, threshold: nil)
    #expect(trial.outcome == .correct && trial.place == nil && trial.forecast?.happened == true)
    #expect(trial.offsetErrorSeconds == nil && trial.strictOffsetErrorSeconds == nil)
    #expect(trial.topOffsetErrorSeconds == nil && trial.frequencySkewError != nil)
    var wrong = raw
    wrong.candidates[0].referenceID = "b"
    #expect(JudgedTrial(wrong, threshold: nil).outcome == .wrongReference)

    // Positions count where they are stated.
    let placed = record(candidates: [candidate("a", offset: 10.25)])
    let model = ReportModel(records: [raw, placed, placed], facts: SampleRun.facts)
    let score = model.overall
    #expect(score.recall.rate == 1 && score.placedRecall.successes == 2 && score.placedRecall.trials == 3)
    #expect(score.share(of: .right).trials == 2 && score.offsetError?.count == 2)
    #expect(model.trialRemarks.count == 1)
    #expect(model.trialRemarks.first?.hasPrefix("1 of 3 top answers states no position. ") == true)
    let report = try WrittenReport(model)
    let offsets = ReadTable(report.trials).rows.map { $0["answerOffsetSeconds"] }
    #expect(offsets == ["", "10.25", "10.25"])
    #expect(report.page.contains("1 of 3 top answers states no position."))
    #expect(TriedTrial.text(raw).contains("claimed   a, score 50.00"))
    #expect(ReportModel(records: [placed], facts: SampleRun.facts).trialRemarks.isEmpty)
}

@Test func aRelatedAnswerIsNoClaim() {
    for isPositive in [true, false] {
        var raw = record(isPositive: isPositive, candidates: [])
        var related = candidate("a")
        related.isRelated = true
        raw.take([related, candidate("b", score: 10, accepted: false)])
        let trial = JudgedTrial(raw, threshold: nil)
        #expect(trial.outcome == (isPositive ? .missed : .correctReject))
        #expect(trial.accepted.isEmpty && trial.wrongAnswers == 0 && trial.rightRank == nil)
        #expect(trial.scores.rightScore == nil && trial.scores.wrongScore == 10)
        #expect(JudgedTrial(raw, threshold: 40).claim == nil)
        // Without a rung nothing is known to be related.
        #expect(trial.relatedAnswers == [false])
        #expect(TriedTrial.text(raw).contains("\nrelated   a\n"))
    }
}

@Test func errorsAreAnswerMinusTruth() throws {
    let trial = JudgedTrial(record(candidates: [candidate("a", offset: 9.75)]), threshold: nil)
    #expect(trial.strictOffsetErrorSeconds == -0.25)
    #expect(try abs(#require(trial.frequencySkewError) - 0.0003) < 1e-12)
    #expect(trial.timeSkewError == nil)
    #expect(trial.place == .right)
}

@Test func aRepetitionHasNoOffsetError() {
    var raw = record(candidates: [candidate("a", offset: 42.001)])
    raw.repetition = RepeatSearch(correlation: 0.8, offsetErrorSeconds: 0.001)
    let same = JudgedTrial(raw, threshold: nil)
    #expect(same.place == .repetition)
    #expect(same.offsetErrorSeconds == 0.001)
    #expect(same.strictOffsetErrorSeconds.map { abs($0 - 32.001) < 1e-9 } == true)
    raw.repetition = RepeatSearch(correlation: 0.79, offsetErrorSeconds: 0.001)
    let other = JudgedTrial(raw, threshold: nil)
    #expect(other.place == .other)
    #expect(other.offsetErrorSeconds == other.strictOffsetErrorSeconds)
}

@Test func anErroredTrialHasNoAnswer() {
    var positive = record(candidates: [candidate("a")])
    positive.error = "the matcher died"
    #expect(JudgedTrial(positive, threshold: nil).outcome == .missed)
    var negative = record(isPositive: false, candidates: [candidate("a")])
    negative.error = "the matcher died"
    let trial = JudgedTrial(negative, threshold: nil)
    #expect(trial.outcome == .negativeError)
    #expect(trial.scores.wrongScore == nil)
    let model = ReportModel(records: [negative], facts: SampleRun.facts)
    #expect(model.overall.errors == 1)
}

@Test func failingOnNegativesDoesNotHelp() {
    func negative(_ index: Int, _ candidates: [Candidate]) -> TrialRecord {
        var record = record(isPositive: false, candidates: candidates)
        record.trial.index = index
        record.trial.id = "n\(index)"
        record.query?.digest = "\(index)"
        return record
    }
    let accepted = negative(1, [candidate("a")])
    let rejected = negative(2, [])
    let failed = (3..<9).map { index in
        var record = negative(index, [])
        record.error = "the matcher died"
        return record
    }
    let facts = SampleRun.facts
    let answered = ReportModel(
        records: [record(candidates: [candidate("a")]), accepted, rejected], facts: facts)
    let model = ReportModel(
        records: [record(candidates: [candidate("a")]), accepted, rejected] + failed, facts: facts)
    #expect(model.overall.falseAcceptRate == answered.overall.falseAcceptRate)
    #expect(model.overall.falseAcceptRate.rate == 0.5)
    #expect(model.zeroFalseAccepts == answered.zeroFalseAccepts)
    #expect(model.separation?.curve == answered.separation?.curve)
    #expect(model.overall.outcomes.negativeError == 6)
    #expect(model.overall.outcomes.trials == 9)
    #expect(
        SummaryTable.text(model).contains(
            "6 trials ended with an error: 6 negatives left out of every rate. If each were a false accept, 87.5"
        ))
}

@Test func aFormatThatIsNotOfferedDoesNotCount() {
    var raw = record(candidates: [])
    raw.isOffered = false
    #expect(JudgedTrial(raw, threshold: nil).outcome == nil)
    let model = ReportModel(records: [raw], facts: SampleRun.facts)
    #expect(model.overall.outcomes.trials == 0)
    #expect(model.overall.notOffered == 1)
    #expect(model.cells.first?.score.isNotOffered == true)
    #expect(model.zeroFalseAccepts.recall == Proportion(0, of: 0))
}

@Test func anyClaimForANegativeIsAFalseAccept() {
    let trial = JudgedTrial(record(isPositive: false, candidates: [candidate("a")]), threshold: nil)
    #expect(trial.outcome == .falseAccept)
    #expect(trial.place == nil && trial.offsetErrorSeconds == nil)
}

@Test func answersThatAreNotNumbersHaveNoError() {
    var wild = candidate("a", offset: .nan)
    wild.frequencySkew = .infinity
    let trial = JudgedTrial(record(candidates: [wild]), threshold: nil)
    #expect(trial.outcome == .correct)
    #expect(trial.strictOffsetErrorSeconds == nil && trial.frequencySkewError == nil && trial.place == nil)
}

@Test(
    arguments: [
        ([], ConditionGroup.length), ([Identity()], .length),
        ([Noise(colour: .white, snrDecibels: 0, seed: 1)], .noise),
        ([Babble(voices: 4, snrDecibels: 0, seed: 1)], .noise), ([Speed(percent: 1)], .skew),
        ([Resample(sampleRateHertz: 8000)], .sampleRate), ([Format(encoding: "flac-16")], .format),
        ([Room(rt60Seconds: 1, seed: 1), Identity(), Gain(decibels: 1)], .channel),
        ([Speed(percent: 1), Ambience(snrDecibels: 0, seed: 1)], .combination),
        ([Resample(sampleRateHertz: 8000), Layout(channels: .mono), Format(encoding: "flac-16")], .format),
    ] as [([any Degradation], ConditionGroup)])
func groupsFollowTheChain(chain: [any Degradation], group: ConditionGroup) {
    var raw = record(candidates: [])
    raw.trial.chain = DegradationChain(steps: chain.map { AnyDegradation($0) })
    #expect(ReportModel(records: [raw], facts: SampleRun.facts).cells.first?.group == group)
}

@Test func latenciesByHand() throws {
    let summary = try #require(LatencySummary((1...100).map(Double.init)))
    func agrees(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 / expected - 1) < 1e-12 } ?? false
    }
    #expect(summary.count == 100)
    #expect(agrees(summary.median, 50.5))
    #expect(agrees(summary.percentile90, 90.1))
    #expect(agrees(summary.percentile95, 95.05))
    #expect(agrees(summary.percentile99, 99.01))
    #expect(agrees(summary.maximum, 100))
}

@Test func fewLatenciesHaveNoHighPercentiles() throws {
    let few = try #require(LatencySummary([0.0003, 2, .nan, -1, .infinity]))
    #expect(few.count == 2)
    #expect(few.percentile90 == nil && few.percentile95 == nil && few.percentile99 == nil)
    let middle = (0.0003 + 2) / 2
    #expect(few.median == middle)
    #expect(LatencySummary([]) == nil)
    #expect(LatencySummary([.nan]) == nil)
}

/// Of six accepted answers two are right; two right references of four are named.
@Test func everyAcceptedAnswerCounts() throws {
    var records = [
        record(candidates: [candidate("a", score: 60), candidate("b", score: 50), candidate("a2", score: 40)]
        ),
        record(candidates: [candidate("c"), candidate("b")]),
        record(isPositive: false, candidates: [candidate("b", accepted: false), candidate("a")]),
    ]
    for index in records.indices { records[index].trial.index = index }
    let score = ReportModel(records: records, facts: RunFacts(SampleRun.facts.provenance)).overall
    #expect((score.precision.successes, score.precision.trials) == (2, 6))
    #expect((score.topPrecision.successes, score.topPrecision.trials) == (1, 3))
    #expect((score.setRecall.successes, score.setRecall.trials) == (2, 4))
    #expect(score.recall.rate == 0.5 && score.falseAcceptRate.rate == 1)
    #expect(score.wrongAnswerRate.rate == 1)
}

@Test func aWrongSecondAnswerCostsPrecisionAndNotTheTopAnswer() {
    func overall(_ second: Bool) -> Scorecard {
        let trial = record(candidates: [candidate("a"), candidate("b", score: 49, accepted: second)])
        return ReportModel(records: [trial], facts: RunFacts(SampleRun.facts.provenance)).overall
    }
    #expect(overall(true).precision.rate == 0.5 && overall(true).wrongAnswerRate.rate == 1)
    #expect(overall(false).precision.rate == 1 && overall(false).wrongAnswerRate.rate == 0)
    #expect(overall(true).topPrecision.rate == 1 && overall(true).recall.rate == 1)
}

@Test func foundAndUnknownQueriesAreTimedApart() throws {
    var records: [TrialRecord] = []
    for number in 0..<100 {
        var one = record(isPositive: number < 64, candidates: number < 60 ? [candidate("a")] : [])
        one.trial.index = number
        one.trial.id = "\(number)"
        one.latency = .init(milliseconds: number < 60 ? 3 : number < 64 ? 1000 : 22)
        records.append(one)
    }
    let latency = ReportModel(records: records, facts: SampleRun.facts).overall.latency
    #expect(latency.found?.count == 60 && latency.found?.median == 3)
    #expect(latency.unknown?.count == 36 && latency.unknown?.median == 22)
    let table = SummaryTable.text(ReportModel(records: records, facts: SampleRun.facts))
    #expect(table.contains("Latency, found") && table.contains("Latency, unknown"))
    // 29 timed negatives are too few.
    let few = ReportModel(records: Array(records.prefix(93)), facts: SampleRun.facts).overall.latency
    #expect(few.unknown == nil && few.found?.count == 60)
}

@Test func latencyIsOfEachLengthAndKind() throws {
    var records: [TrialRecord] = []
    let milliseconds: [(length: Double, found: Double, unknown: Double)] = [(2, 3, 20), (10, 7, 50)]
    for kind in milliseconds {
        for number in 0..<80 {
            var one = record(isPositive: number < 40, candidates: number < 40 ? [candidate("a")] : [])
            one.trial.index = records.count
            one.trial.id = "\(records.count)"
            one.trial.cell.lengthSeconds = kind.length
            one.latency = .init(milliseconds: number < 40 ? kind.found : kind.unknown)
            records.append(one)
        }
    }
    struct Summary: Decodable {
        struct Kind: Decodable { let median: Double }
        struct Length: Decodable {
            let lengthSeconds: Double
            let found: Kind
            let unknown: Kind
        }
        struct Cost: Decodable { let latencyMillisecondsByLength: [Length] }
        let cost: Cost
    }
    let report = try WrittenReport(ReportModel(records: records, facts: SampleRun.facts))
    let lengths = try JSONDecoder().decode(Summary.self, from: Data(report.summary.utf8)).cost
        .latencyMillisecondsByLength
    #expect(lengths.map(\.lengthSeconds) == milliseconds.map(\.length))
    #expect(lengths.map(\.found.median) == milliseconds.map(\.found))
    #expect(lengths.map(\.unknown.median) == milliseconds.map(\.unknown))
    for (name, value) in [
        ("found, 2", "3.0"), ("unknown, 2", "20"), ("found, 10", "7.0"), ("unknown, 10", "50"),
    ] {
        let row = try #require(
            report.page.split(separator: "<tr").first { $0.contains(">\(name)\u{A0}s<") }, "\(name)")
        #expect(row.contains(">40<") && row.contains(">\(value)<"), "\(row)")
    }
}

@Test func negativesOfTheSameSamplesCountOnce() {
    func negative(_ number: Int, _ digest: String, fold: Int? = nil) -> TrialRecord {
        var one = record(isPositive: false, candidates: [])
        one.trial.index = number
        one.trial.id = "\(number)"
        one.trial.fold = fold
        one.query?.digest = digest
        return one
    }
    let silence = (0..<8).map { negative($0, "s") }
    let score = ReportModel(records: silence, facts: SampleRun.facts).overall
    #expect(score.outcomes.correctReject == 8)
    #expect(score.falseAcceptRate.trials == 1)
    // One recording bounds no rate.
    #expect(score.falseAcceptRate.wilsonInterval() == Interval(lower: 0, upper: 1))
    // Another catalog makes another trial, and so do other samples.
    let others = [negative(8, "s", fold: 1), negative(9, "t"), negative(10, "u")]
    #expect(
        ReportModel(records: silence + others, facts: SampleRun.facts).overall.falseAcceptRate.trials == 4)
}

@Test func aRepetitionIsThatOfTheJudgedAnswer() {
    var raw = record(candidates: [
        candidate("a", score: 60, offset: 70, accepted: false), candidate("a", offset: 42),
    ])
    // Measured at 42 s, the accepted candidate.
    raw.repetition = RepeatSearch(correlation: 0.99, offsetErrorSeconds: 0.001)
    #expect(JudgedTrial(raw, threshold: nil).place == .repetition)
    // At this threshold the answer is at 70 s, which nobody compared.
    #expect(JudgedTrial(raw, threshold: 40).place == .other)
}

@Test func summariesHaveOneNumberForAnIdea() throws {
    let model = ReportModel(records: SampleRun.records(), facts: SampleRun.facts)
    let table = SummaryTable.text(model)
    let recalls = model.separation?.recalls.filter { $0.catalogGrowth == 1 } ?? []
    #expect(recalls.contains { $0.evidence == .fittedTail })
    #expect(!recalls.contains { $0.evidence == .counted } && !table.contains("% false accepts"))
    #expect(!table.contains("False accepts at most"))
    let page = try WrittenReport(model).markup
    #expect(page.contains("projected, fitted tail") && page.contains("projected, beyond the data"))
    // Page and terminal lead with the same skew error.
    let line = try #require(table.split(separator: "\n").first { $0.hasPrefix("Frequency skew error") })
    let median = try #require(line.firstMatch(of: #/median ([0-9.]+)/#)).output.1
    #expect(page.contains(">\(median)<"))
}
