import Evaluation
import Foundation
import Metrics
import TestSupport
import Testing

/// Runs are paired by their queries, whatever their names and their order.
@Suite struct PairingTests {
    private static let rules = "rules: [{measure: recall, noLossBeyond: 0.1}]"

    /// A run of queries, each an outcome with its digest, in one cell.
    private func run(_ queries: [(digest: String, outcome: Character)], name: String = "a", seed: UInt64 = 1)
        -> GateSample
    {
        var sample = GateSample(positives: [(name, String(queries.map(\.outcome)))], seed: seed)
        sample.digests = queries.map(\.digest)
        return sample
    }

    private let before: [(digest: String, outcome: Character)] =
        (0..<40).map { ("q\($0)", $0 < 30 ? "c" : "m") }

    private func judge(_ run: GateSample, against baseline: GateSample) throws -> GateReport {
        try Gate(GateRules(text: Self.rules, name: "rules.yaml"))
            .judge(run.scored(), baseline: Baseline(baseline.scored()))
    }

    @Test func anotherOrderChangesNothing() throws {
        let report = try judge(run(before.reversed(), seed: 2), against: run(before))
        #expect(report.findings.map(\.reason) == ["recall unchanged in 40 trials"])
        #expect(report.notes.isEmpty)
        // In the order of the rows, 20 trials would differ.
        let worse = before.reversed().map { ($0.digest, Character("m")) }
        let lost = try judge(run(worse, seed: 2), against: run(before))
        #expect(lost.verdict == .fail && lost.findings[0].reason.contains("lost 30 of 40"))
    }

    @Test func whatBothHaveIsComparedAndTheRestIsNamed() throws {
        let more = before + [("new", "m")]
        let added = try judge(run(more, seed: 2), against: run(before))
        #expect(added.findings.map(\.reason) == ["recall unchanged in 40 trials"])
        #expect(added.notes == ["other queries: noise a, 5 s: 1 new (a/p40)"])
        let gone = try judge(run(before, seed: 2), against: run(more))
        #expect(gone.findings.map(\.reason) == ["recall unchanged in 40 trials"])
        #expect(gone.notes == ["other queries: noise a, 5 s: 1 gone"])
        var changed = before
        changed[3].digest = "other"
        #expect(
            try judge(run(changed, seed: 2), against: run(before)).notes == [
                "other queries: noise a, 5 s: 1 changed (a/p3)"
            ])
    }

    @Test func equalQueriesAreCountedOnce() throws {
        let twice: [(digest: String, outcome: Character)] = [("same", "c"), ("same", "m"), ("other", "c")]
        let report = try judge(run(twice, seed: 2), against: run(twice))
        #expect(report.findings.map(\.reason) == ["recall unchanged in 3 trials"])
    }

    @Test func halfOfTheQueriesAreNoComparison() throws {
        let few = Array(before.prefix(20))
        let error = try #require(throws: GateError.self) {
            _ = try judge(run(few, seed: 2), against: run(before))
        }
        #expect(error.kind == .otherQueries)
        #expect(
            error.description.contains("20 of 40 queries of the baseline are in the run, seed 2 against 1"))
    }

    @Test func aCellMoreIsNamedAndOneLessIsNoBaseline() throws {
        var two = GateSample(positives: [("a", "cccc"), ("b", "cc")])
        two.digests = (0..<6).map { "q\($0)" }
        var one = GateSample(positives: [("a", "cccc")])
        one.digests = (0..<4).map { "q\($0)" }
        #expect(try judge(one, against: two).notes == ["only in the baseline: noise b, 5 s"])
        // Of the same panel, a cell that is missing or renamed is damage.
        let error = try #require(throws: GateError.self) { _ = try judge(two, against: one) }
        #expect(error.kind == .otherQueries && error.description.contains("no cell noise b, 5 s"))
        two.seed = 2
        #expect(try judge(two, against: one).notes == ["only in the run: noise b, 5 s"])
        // So do runs of an earlier version.
        one.digests = nil
        two.digests = nil
        two.seed = 1
        #expect(try #require(throws: GateError.self) { try judge(two, against: one) }.kind == .otherQueries)
    }

    @Test func aCellOnTwoLinesIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        try Baseline(run(before).scored()).write(to: path)
        var lines = try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let cell = try #require(lines.firstIndex { $0.contains("\"degradation\"") })
        lines.insert(lines[cell] + ",", at: cell)
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        let error = try #require(throws: GateError.self) { _ = try Baseline(path: path) }
        #expect(
            error.description.contains(
                "baseline.json:\(cell + 2): cell noise a, 5 s: is on line \(cell + 1), too"))
    }

    /// The start of a run is not its trials.
    @Test func onlyEqualTrialsAreTheSameRun() throws {
        let same = try judge(run(before), against: run(before))
        #expect(same.isOfItself == true)
        var changed = before
        changed[0].outcome = "m"
        let other = try judge(run(changed), against: run(before))
        #expect(other.run == other.baseline && other.isOfItself == false)
    }

    @Test func aBaselineKeepsTheDigests() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/baseline.json"
        try Baseline(run(before).scored()).write(to: path)
        let read = try Baseline(path: path)
        let reversed = try run(before.reversed(), seed: 2).scored()
        #expect(
            try PairedRun(reversed, baseline: read).cells[0].pairs.allSatisfy { pair in
                pair.before?.outcome == pair.now.result.outcome
            })
        #expect(try read.changes(to: reversed) == [])
    }

    /// Most clean queries must be found, or one of recorded ones.
    @Test(arguments: [("cccmmm", true), ("ccmmmm", false), ("mmmm", false)])
    func aFirstBaselineFindsCleanQueries(_ outcomes: String, _ isFit: Bool) throws {
        var sample = GateSample(positives: [("", outcomes)])
        #expect(try (FirstBaseline(sample.scored()).refusal == nil) == isFit)
        sample.recorded = .init(list: "list.csv", references: "music")
        let recorded = try FirstBaseline(sample.scored())
        #expect((recorded.refusal == nil) == outcomes.contains("c"))
        // Degraded queries may all be hard.
        let refusal = try #require(try FirstBaseline(GateSample(positives: [("", "mmmm")]).scored()).refusal)
        #expect(refusal.contains("finds 0 of 4 clean queries of 5 s") && refusal.contains("arena check"))
    }
}
