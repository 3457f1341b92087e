import AudioCore
import Evaluation
import Foundation
import Testing

/// Rules of time, which passes over the timed queries decide.
@Suite struct CostRuleTests {
    private static let growth = "rules: [{measure: processorMilliseconds, mayGrowBy: 1.05}]"
    private let sample = GateSample(
        positives: [("a", String(repeating: "c", count: 40))], negatives: String(repeating: "r", count: 40))

    /// Records with passes at the given moments, at the cost that `milliseconds` gives for a pass and a query.
    private func records(
        passes starts: [Double], _ milliseconds: (_ start: Double, _ query: Int) -> Double
    ) -> [TrialRecord] {
        sample.records.enumerated().map { query, record in
            var record = record
            record.latency = .init(
                passes: starts.map { start in
                    let time = milliseconds(start, query)
                    return .init(
                        milliseconds: 2 * time, calibrationMilliseconds: 1, processorMilliseconds: time,
                        startedAt: start)
                })
            return record
        }
    }

    private func judge(
        _ run: [TrialRecord], _ baseline: [TrialRecord]?, _ rules: String = Self.growth,
        facts: RunFacts? = nil
    ) throws -> GateReport {
        let now = try ScoredRun(records: run, facts: facts ?? sample.facts, folder: "run")
        let before = try baseline.map {
            Baseline(try ScoredRun(records: $0, facts: sample.facts, folder: "base"))
        }
        return try Gate(GateRules(text: rules, name: "rules.yaml")).judge(now, baseline: before)
    }

    /// The load of a shared machine, which all queries of a moment share.
    private static func load(at start: Double) -> Double { 1 + 0.2 * sin(start / 7) }

    private static func times(from first: Double, step: Double, _ count: Int = 10) -> [Double] {
        (0..<count).map { first + step * Double($0) }
    }

    @Test func runsThatTookTurnsAreCompared() throws {
        func passes(_ factor: Double, from start: Double) -> [TrialRecord] {
            records(passes: Self.times(from: start, step: 2)) {
                factor * Self.load(at: $0) * Double($1 % 7 + 1)
            }
        }
        let before = passes(1, from: 0)
        for (factor, verdict) in [(1.0, GateVerdict.pass), (1.2, .fail), (0.8, .improved)] {
            let report = try judge(passes(factor, from: 1), before)
            #expect(report.findings.map(\.verdict) == [verdict], "\(report.findings)")
        }
        let report = try judge(passes(1.2, from: 1), before)
        #expect(report.findings[0].reason.contains("10 rounds of 80 queries"), "\(report.findings)")
    }

    /// Equal programs, one measured while the machine was busy: no number of passes in a row shows that.
    @Test func runsOneAfterTheOtherAreLeftOutWithWhatToDo() throws {
        let before = records(passes: Self.times(from: 0, step: 1)) { _, _ in 5 }
        let after = records(passes: Self.times(from: 100, step: 1)) { _, _ in 7 }
        for rules in [Self.growth, "rules: [{measure: latencyRatio, mayGrowBy: 1.2}]"] {
            let error = #expect(throws: GateError.self) { try judge(after, before, rules) }
            #expect(error?.description.contains("--latency-passes N") == true, "\(String(describing: error))")
        }
        // Beside a rule that can be judged it is a note.
        let both = "rules: [{measure: recall, noLossBeyond: 0.5}, {measure: latencyRatio, mayGrowBy: 1.2}]"
        let report = try judge(after, before, both)
        #expect(report.findings.count == 1 && report.verdict == .pass)
        #expect(report.notes.contains { $0.contains("took turns in 1 round") }, "\(report.notes)")
    }

    /// With much noise an interval excludes 1 now and then, also between equal programs.
    @Test func aMachineThatIsTooBusyRaisesNoAlarm() throws {
        let before = records(passes: Self.times(from: 0, step: 2)) { _, _ in 5 }
        let after = records(passes: Self.times(from: 1, step: 2)) { start, _ in
            5 * (Int(start / 2).isMultiple(of: 2) ? 1.1 : 4)
        }
        let finding = try #require(try judge(after, before).findings.first)
        #expect(finding.verdict == .inconclusive && finding.reason.contains("too busy"), "\(finding)")
    }

    @Test func otherMachinesAreRefused() throws {
        let passes = records(passes: Self.times(from: 0, step: 2)) { _, _ in 5 }
        let others = records(passes: Self.times(from: 1, step: 2)) { _, _ in 50 }
        var facts = sample.facts
        facts.machine.logicalCores = 64
        let error = #expect(throws: GateError.self) { try judge(others, passes, facts: facts) }
        #expect(error?.description.contains("different machines") == true)
        #expect(error?.description.contains("64 cores against any, 1 core") == true)
    }

    @Test func timesThatAreNoneAreLeftOut() throws {
        let odd: [Double] = [.nan, .infinity, 0, -1]
        let starts = Self.times(from: 0, step: 1)
        let bad = records(passes: starts) { odd[($1 + Int($0)) % 4] }
        #expect(throws: GateError.self) { try judge(bad, bad) }
        let without = sample.records
        #expect(throws: GateError.self) { try judge(without, without) }
        // A few of them change nothing.
        func some(from start: Double) -> [TrialRecord] {
            records(passes: Self.times(from: start, step: 2)) { $1 % 5 == 0 ? .nan : 5 + 0 * $0 }
        }
        #expect(try judge(some(from: 1), some(from: 0)).findings.map(\.verdict) == [.pass])
    }

    @Test func limitsTakeTheMediansOfSeveralPasses() throws {
        func verdict(_ rule: String, passes count: Int, spread: Double = 0.01) throws -> GateVerdict? {
            let run = records(passes: Self.times(from: 0, step: 1, count)) { start, query in
                (query < 40 ? 3 : 22) * (1 + (Int(start).isMultiple(of: 2) ? spread : -spread))
            }
            do {
                return try judge(run, nil, "rules: [{measure: \(rule)}]").verdict
            } catch is GateError {
                return nil
            }
        }
        #expect(try verdict("foundProcessorMilliseconds, atMost: 5", passes: 5) == .pass)
        #expect(try verdict("foundProcessorMilliseconds, atMost: 2", passes: 5) == .fail)
        #expect(try verdict("unknownLatencyRatio, atMost: 60", passes: 5) == .pass)
        #expect(try verdict("unknownLatencyRatio, atMost: 40", passes: 5) == .fail)
        #expect(
            try verdict("foundProcessorMilliseconds, atMost: 3.1", passes: 5, spread: 0.3) == .inconclusive)
        #expect(try verdict("foundProcessorMilliseconds, atMost: 5", passes: 4) == nil)
    }
}
