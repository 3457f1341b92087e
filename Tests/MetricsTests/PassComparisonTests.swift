import AudioCore
import Foundation
import Metrics
import Testing

@Suite struct PassComparisonTests {
    private typealias Pass = PassComparison.Pass

    /// Passes of two runs in turns, over queries of different cost, on a machine whose load drifts.
    private static func passes(
        _ rounds: Int, slower: Double = 1, load: Double = 0.15, _ generator: inout SeededGenerator
    ) -> (before: [Pass], after: [Pass]) {
        func normal() -> Double {
            NormalDistribution.quantile(min(max(generator.unit(), 1e-12), 1 - 1e-12))
        }
        var (before, after): ([Pass], [Pass]) = ([], [])
        var level = 0.0
        for turn in 0..<2 * rounds {
            level = 0.7 * level + load * 0.7 * normal()
            let factor = turn.isMultiple(of: 2) ? 1 : slower
            let costs = (1...40).map { query in
                Optional(Double(query) * factor * exp(level + 0.05 * normal()))
            }
            let pass = Pass(startedAt: Double(turn), costs: costs)
            if turn.isMultiple(of: 2) { before.append(pass) } else { after.append(pass) }
        }
        return (before, after)
    }

    /// A gate that lets a cost grow by 5 % raises a false alarm in less than one pair of fifty.
    @Test func equalRunsRaiseNoAlarm() throws {
        var generator = SeededGenerator(seed: 1, "equal")
        let runs = 300
        let alarms = try (0..<runs).count { _ in
            let passes = Self.passes(10, &generator)
            let comparison = try #require(PassComparison(before: passes.before, after: passes.after))
            return comparison.interval.lower > 1.05 || comparison.interval.upper < 1 / 1.05
        }
        #expect(alarms <= runs / 50)
    }

    @Test func aSlowerMatcherIsFound() throws {
        var generator = SeededGenerator(seed: 2, "slower")
        let runs = 100
        let found = try (0..<runs).count { _ in
            let passes = Self.passes(10, slower: 1.2, &generator)
            let comparison = try #require(PassComparison(before: passes.before, after: passes.after))
            return comparison.interval.lower > 1.05
        }
        #expect(found >= runs * 19 / 20)
    }

    @Test func theIntervalCoversTheTrueFactor() throws {
        var generator = SeededGenerator(seed: 3, "cover")
        let runs = 400
        let covered = try (0..<runs).count { _ in
            let passes = Self.passes(6, slower: 1.3, &generator)
            return try #require(PassComparison(before: passes.before, after: passes.after)).interval.contains(
                1.3)
        }
        #expect(covered >= runs * 92 / 100)
    }

    /// Runs one after the other have the load of two moments, however many passes each has.
    @Test func passesThatTookNoTurnsAreNotCompared() throws {
        func run(from start: Double) -> [Pass] {
            (0..<20).map { Pass(startedAt: start + Double($0), costs: [1, 2, 3]) }
        }
        #expect(PassComparison.rounds(run(from: 0), run(from: 100)).count == 1)
        #expect(PassComparison(before: run(from: 0), after: run(from: 100)) == nil)
        let turns = PassComparison.rounds(run(from: 0), run(from: 0.5))
        #expect(
            turns.count == 20 && turns.allSatisfy { abs($0.before.startedAt - $0.after.startedAt) == 0.5 })
        // Which of the two is first in a round does not matter.
        let swapped = PassComparison.rounds(run(from: 0.5), run(from: 0))
        #expect(swapped.count == 20)
    }

    @Test func onlyQueriesThatBothMeasuredCount() throws {
        let before = (0..<5).map { Pass(startedAt: Double(2 * $0), costs: [1, nil, 4, 0, .nan]) }
        let after = (0..<5).map { Pass(startedAt: Double(2 * $0 + 1), costs: [2, 9, nil, 5, 5]) }
        let comparison = try #require(PassComparison(before: before, after: after))
        #expect(comparison.rounds == 5 && abs(comparison.ratio - 2) < 1e-9)
        let none = (0..<5).map { Pass(startedAt: Double(2 * $0 + 1), costs: [nil, 9, nil, 5, 5]) }
        #expect(PassComparison(before: before, after: none) == nil)
        #expect(PassComparison(before: [], after: after) == nil)
    }
}
