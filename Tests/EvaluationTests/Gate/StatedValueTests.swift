import AudioCore
import Evaluation
import Foundation
import Metrics
import TestSupport
import Testing

/// The default rules on all that a matcher states: place, skew, confidence and score.
@Suite struct StatedValueTests {
    /// A panel of the shape of the plan `standard`, whose trials state every value.
    private static let panel = Panel.all[0]
    private static let standard = try? GateRules(path: PackageFolder.path + "/Reports/gates/standard.yaml")

    private func judge(_ change: @escaping (inout TrialResult, Panel.Place) -> Void) throws -> GateReport {
        let panel = Self.panel
        let baseline = Baseline(panel.run(panel.isRight, stating: Self.values))
        let rules = try #require(Self.standard)
        return try Gate(rules).judge(
            panel.run(
                panel.isRight,
                stating: { result, place in
                    Self.values(&result, place)
                    change(&result, place)
                }), baseline: baseline)
    }

    /// The values of a good matcher.
    private static func values(_ result: inout TrialResult, _ place: Panel.Place) {
        var draws = SeededGenerator(seed: 9, "\(place)")
        let isRight = result.outcome == .correct
        if case .positive = place { result.numbers["placedRecall"] = isRight ? 1 : 0 }
        result.numbers["confidenceError"] = 0.05 * draws.unit()
        result.numbers["wrongScore"] = -4 + 3 * draws.unit()
        guard isRight else { return }
        result.numbers["rightScore"] = 4 + 10 * draws.unit()
        result.numbers["offsetErrorSeconds"] = 0.002 * draws.unit()
        result.numbers["frequencySkewError"] = 1e-4 * draws.unit()
        result.numbers["timeSkewError"] = 1e-4 * draws.unit()
    }

    private func failed(_ report: GateReport) -> [String] {
        report.findings.filter { $0.verdict == .fail }.map(\.rule)
    }

    @Test func nothingChangedPasses() throws {
        let report = try judge { _, _ in }
        #expect(
            report.verdict == .pass && !report.notes.contains { $0.hasPrefix("left out") }, "\(report.notes)")
    }

    @Test(arguments: [34, 49]) func wrongPlacesFail(_ count: Int) throws {
        let every = Self.panel.isRight.count / count
        let report = try judge { result, place in
            guard case .positive(let index) = place, index.isMultiple(of: every), result.outcome == .correct
            else { return }
            result.numbers["placedRecall"] = 0
            result.numbers["offsetErrorSeconds"] = 30
        }
        #expect(failed(report).contains { $0.contains("right place") }, "\(failed(report))")
    }

    @Test func lostSkewsFailAndAreCounted() throws {
        let report = try judge { result, place in
            guard case .positive(let index) = place, index % 100 < 48 else { return }
            result.numbers["frequencySkewError"] = nil
            result.numbers["timeSkewError"] = nil
        }
        let lost = report.findings.filter { $0.verdict == .fail }
        #expect(lost.count == 2 && lost.allSatisfy { $0.rule.contains("skew") })
        #expect(lost.allSatisfy { $0.reason.contains("lost their value, beyond 1 point with p ") }, "\(lost)")
        // All lost is no less.
        let none = try judge { result, _ in result.numbers["timeSkewError"] = nil }
        #expect(failed(none) == ["time-skew error at most × 1.25"])
    }

    /// The power of a rule at a threshold of the baseline does not depend on wrong candidates below it.
    @Test func everyRuleOfARateHasPower() throws {
        let panel = Self.panel
        let power = try GatePower(
            try #require(Self.standard), run: panel.run(panel.isRight, stating: Self.values))
        #expect(power.rows.count == 10 && power.rows.allSatisfy { $0.found[1] != nil }, "\(power.notes)")
        #expect(power.warning == nil)
    }

    /// A query that is missed lost no value: recall counts it.
    @Test func missedQueriesLoseNoValue() throws {
        let report = try judge { result, place in
            guard case .positive(let index) = place, index < 5 else { return }
            result = TrialResult(character: "m")!
            result.numbers["placedRecall"] = 0
        }
        #expect(!report.findings.contains { $0.reason.contains("lost their value") })
    }

    @Test(arguments: [(0, GateVerdict.pass), (1, .pass), (10, .fail)])
    func falseAcceptsAreJudgedByTheBoundOfTheBaseline(_ count: Int, _ verdict: GateVerdict) throws {
        let report = try judge { result, place in
            // One of each negative recording in turn, in cells apart.
            guard case .negative(let cell, let number) = place, cell % 9 == 0, cell / 9 < count,
                number == cell / 9 % 7
            else { return }
            result = TrialResult(character: "f")!
            result.numbers["wrongScore"] = 3.5
            result.numbers["confidenceError"] = 0.97
        }
        let finding = try #require(report.findings.first { $0.rule.hasPrefix("false accepts worse") })
        #expect(finding.verdict == verdict, "\(finding.reason)")
        #expect(report.verdict == verdict, "\(failed(report))")
    }

    @Test func aCellThatLosesAThirdFails() throws {
        let report = try judge { result, place in
            guard case .positive(let index) = place, Self.panel.isPlace(index, amongFirst: 8, ofLargeCell: 0)
            else { return }
            result = TrialResult(character: "m")!
            result.numbers["placedRecall"] = 0
        }
        #expect(failed(report).contains { $0.hasSuffix("each cell") }, "\(failed(report))")
    }

    @Test func wrongConfidencesFail() throws {
        let mistaken = try judge { result, place in
            guard case .negative(let cell, _) = place, cell < 20 else { return }
            result.numbers["confidenceError"] = 0.9
        }
        #expect(failed(mistaken).contains("confidences on the wrong side of 50 % worse by at most 2 points"))
        let vague = try judge { result, _ in result.numbers["confidenceError"] = 0.4 }
        #expect(failed(vague) == ["error of the confidence at most × 1.5"])
        let silent = try judge { result, _ in result.numbers["confidenceError"] = nil }
        #expect(failed(silent).count == 2 && failed(silent).allSatisfy { $0.contains("confidence") })
    }

    /// What the machine did to a matcher is no loss, in any rule.
    @Test func trialsThatWereNotMeasuredChangeNoVerdict() throws {
        let report = try judge { result, place in
            let isDisturbed =
                switch place {
                case .positive(let index): index.isMultiple(of: 20)
                case .negative(let cell, let number): (cell + number).isMultiple(of: 20)
                }
            if isDisturbed { result = TrialResult(character: "-")! }
        }
        #expect(report.verdict == .pass, "\(failed(report))")
    }

    /// How answers get worse: each names the change of one trial.
    private enum Worsening: CaseIterable {
        case missed, misplaced, withoutSkew, withoutConfidence, mistaken, lowScore

        func change(_ result: inout TrialResult) {
            guard result.outcome == .correct else { return }
            switch self {
            case .missed:
                result = TrialResult(character: "m")!
                result.numbers["placedRecall"] = 0
            case .misplaced: result.numbers["placedRecall"] = 0
            case .withoutSkew: result.numbers["frequencySkewError"] = nil
            case .withoutConfidence: result.numbers["confidenceError"] = nil
            case .mistaken: result.numbers["confidenceError"] = 0.99
            case .lowScore: result.numbers["rightScore"] = -10
            }
        }
    }

    /// A search for changes that the default rules overlook: kinds, trials and their number are drawn, beyond each margin.
    @Test func noDrawnWorseningPasses() throws {
        for seed in UInt64(0)..<40 {
            var draws = SeededGenerator(seed: seed, "worsening")
            let kind = Worsening.allCases[Int(seed) % Worsening.allCases.count]
            let (every, phase) = (Int.random(in: 3...12, using: &draws), Int.random(in: 0..<3, using: &draws))
            let report = try judge { result, place in
                guard case .positive(let index) = place, index % every == phase else { return }
                kind.change(&result)
            }
            #expect(report.verdict == .fail, "\(kind), one of \(every): \(report.verdict)")
        }
    }

    @Test func scoresThatMeanLessFail() throws {
        let lower = try judge { result, _ in
            if let right = result.rightScore { result.numbers["rightScore"] = right - 7 }
        }
        #expect(failed(lower).contains { $0.hasPrefix("recall at a threshold") }, "\(failed(lower))")
        let louder = try judge { result, place in
            if case .negative(let cell, _) = place, cell.isMultiple(of: 4) {
                result.numbers["wrongScore"] = 2
            }
        }
        #expect(
            failed(louder) == [
                "false accepts at a threshold of the baseline worse by at most the baseline's bound"
            ])
    }

    /// At a true growth of the factor, which differs between recordings, at most 5 % of gates fail.
    @Test func aGrowthOfTheFactorSeldomFails() throws {
        var draws = SeededGenerator(seed: 31, "growth")
        let gate = Gate(
            try GateRules(text: "rules: [{measure: confidenceError, mayGrowBy: 1.5}]", name: "rules.yaml"))
        let identity = try GateSample(positives: [("a", "c")]).scored().identity
        func run(_ errors: [[Double]]) -> ScoredRun {
            let trials = errors.enumerated().flatMap { recording, own in
                own.enumerated().map { number, error in
                    var result = TrialResult(character: "c")!
                    result.numbers["confidenceError"] = error
                    return ScoredRun.Trial(
                        id: "\(recording) \(number)", cluster: "\(recording)", recording: "\(recording)",
                        isPositive: true, result: result)
                }
            }
            let key = CellScore.Key(degradation: "cell", severity: "", lengthSeconds: 5)
            return ScoredRun(
                identity: identity, cells: [ScoredRun.Cell(key: key, group: .length, trials: trials)])
        }
        let rounds = 100
        let failures = try (0..<rounds).count { _ in
            // Far above the resolution, which would shorten some ratios.
            let before = (0..<22).map { _ in (0..<8).map { _ in 1e3 * exp(Self.normal(&draws)) } }
            let after = before.map { own in
                let shift = log(1.5) + 0.3 * Self.normal(&draws)
                return own.map { $0 * exp(shift + 0.5 * Self.normal(&draws)) }
            }
            return try gate.judge(run(after), baseline: Baseline(run(before))).verdict == .fail
        }
        // More than nine of a hundred are 3 % of draws at 5 %.
        #expect(failures <= 9, "\(failures)")
    }

    private static func normal(_ draws: inout SeededGenerator) -> Double {
        NormalDistribution.quantile(max(1e-12, draws.unit()))
    }
}
