import AudioCore
import Degradations
import Evaluation
import Foundation
import TestSupport
import Testing

/// How gates judge planted changes, on panels of the shape of two plans and by their rules.
///
/// `EARSHOT_GATE_ROUNDS` sets the number of draws for each change. The tables of the article on gates are printed with it.
@Suite struct GateSimulationTests {
    private static let asked = ProcessInfo.processInfo.environment["EARSHOT_GATE_ROUNDS"].flatMap { Int($0) }
    private static let rounds = asked ?? 2

    /// The heads of the tables, by the change of their columns.
    private static let tables: [(title: String, columns: [String])] = [
        ("passes, % (churn)", ["0", "1", "5", "20", "60"]),
        ("fails, % (points beyond the margin)", ["−0.5", "+0.5", "+1", "+2", "+5"]),
        (
            "as it should, %",
            [
                "a cell loses 8 of 22: fail", "with churn 20: fail",
                "a recording loses 16: fail",
                "each recording ±1: pass", "each ±3: pass", "10 won: improved",
            ]
        ),
    ]

    @Test func plantedChangesGetTheirVerdicts() throws {
        var cells: [String: [String: String]] = [:]
        for panel in Panel.all {
            let gate = Gate(try GateRules(path: PackageFolder.path + "/Reports/gates/\(panel.name).yaml"))
            let baseline = Baseline(panel.run(panel.isRight))
            for change in panel.changes {
                var generator = SeededGenerator(seed: 50, "\(panel.name) \(change.row) \(change.column)")
                var counts: [GateVerdict: Int] = [:]
                for round in 0..<Self.rounds {
                    var outcomes = panel.isRight
                    change.plant(panel, &outcomes, round.isMultiple(of: 2), &generator)
                    let verdict = try gate.judge(panel.run(outcomes), baseline: baseline).verdict
                    counts[verdict, default: 0] += 1
                }
                let share = Double(counts[change.verdict] ?? 0) / Double(Self.rounds)
                // In a few draws one may go astray.
                let astray = Self.asked == nil ? 1 / Double(Self.rounds) : 0
                if let least = change.least {
                    #expect(
                        share >= least - astray, "\(panel.name), \(change.row), \(change.column): \(counts)")
                }
                cells["\(panel.name)\(change.row)", default: [:]][change.column] = String(
                    format: "%g", share * 100)
            }
        }
        if Self.asked != nil { Self.print(cells) }
    }

    /// A bare bar is an empty line.
    private static func print(_ cells: [String: [String: String]]) {
        for table in tables {
            Swift.print("|\n| \(table.title) | \(table.columns.joined(separator: " | ")) |")
            Swift.print("|---|" + String(repeating: "--:|", count: table.columns.count))
            for (row, own) in cells.sorted(by: {
                ($0.key.first == "a" ? 1 : 0, $0.key) < ($1.key.first == "a" ? 1 : 0, $1.key)
            })
            where !Set(own.keys).isDisjoint(with: table.columns) {
                Swift.print("| \(row) | \(table.columns.map { own[$0] ?? "" }.joined(separator: " | ")) |")
            }
        }
    }
}

/// A change of the outcomes of a panel.
struct PlantedChange: Sendable {
    /// The end of its row's name in a table.
    var row: String
    var column: String
    /// The verdict that is counted.
    var verdict: GateVerdict
    /// The least share of draws that get it; nil where the plan cannot decide.
    var least: Double?
    var plant: @Sendable (Panel, inout [Bool], Bool, inout SeededGenerator) -> Void
}

/// The positives of a plan as a matcher finds them.
struct Panel: Sendable {
    var name: String
    /// Whether each trial is found in the baseline, cell by cell.
    private(set) var isRight: [Bool] = []
    private var cells: [Int] = []
    private var recordings: [Int] = []
    private let recordingCount: Int
    private let groups: [ConditionGroup]
    private let negatives: Int

    /// The plans `standard` and `accuracy`: positives, recordings, and how many each cell misses.
    static let all = [standard, accuracy]

    private static let standard: Panel = {
        let lengths = [12, 5, 2, 1, 0, 0, 0, 0, 0].map { (ConditionGroup.length, 16, $0) }
        let noises = [8, 7, 6, 7, 6, 6].flatMap { levels in
            (0..<levels).map { (ConditionGroup.noise, 22, [20, 12, 5][safe: levels - 1 - $0] ?? 0) }
        }
        let others = (0..<62).map { number in
            (
                [ConditionGroup.skew, .format, .channel][number % 3], 16,
                number % 13 == 0 ? 5 : number % 2
            )
        }
        return Panel("standard", lengths + noises + others, recordings: 22, negatives: 7)
    }()

    /// As its baseline has it: how many positives each cell holds, and how many of them are missed.
    private static let accuracy: Panel = {
        let groups: [ConditionGroup] =
            .init(repeating: .length, count: 5) + .init(repeating: .noise, count: 7)
            + .init(repeating: .skew, count: 7) + .init(repeating: .format, count: 2) + [
                .channel, .combination,
            ]
        guard let baseline = try? Baseline(path: PackageFolder.path + "/Reports/baselines/accuracy.json"),
            baseline.cells.count == groups.count
        else { preconditionFailure("the baseline has other cells") }
        let cells = zip(groups, baseline.cells).map { group, cell in
            let positives = cell.results.filter(\.isPositive)
            return (group, positives.count, positives.count { $0.outcome != .correct })
        }
        return Panel("accuracy", cells, recordings: 13, negatives: 8)
    }()

    private init(
        _ name: String, _ cells: [(group: ConditionGroup, positives: Int, missed: Int)],
        recordings count: Int,
        negatives: Int
    ) {
        self.name = name
        self.negatives = negatives
        recordingCount = count
        groups = cells.map(\.group)
        var generator = SeededGenerator(seed: 7, "panel")
        for (number, cell) in cells.enumerated() {
            let order = (0..<count).shuffled(using: &generator)
            recordings += (0..<cell.positives).map { order[$0 % count] }
            self.cells += [Int](repeating: number, count: cell.positives)
            isRight += (0..<cell.positives).map { $0 >= cell.missed }
        }
    }

    /// A trial of the panel.
    enum Place: Hashable {
        case positive(Int)
        case negative(cell: Int, number: Int)
    }

    func recording(of positive: Int) -> Int { recordings[positive] }

    /// Whether a positive is among the first found ones of one of the cells with 22 that miss none.
    func isPlace(_ positive: Int, amongFirst count: Int, ofLargeCell number: Int) -> Bool {
        let whole = groups.indices.filter { cell in
            let own = zip(cells, isRight).filter { $0.0 == cell }
            return own.count == 22 && own.allSatisfy(\.1)
        }
        let own = cells.indices.filter { cells[$0] == whole[number] }
        return own.prefix(count).contains(positive)
    }

    /// The run with these outcomes.
    ///
    /// - Parameter state: Adds what the matcher states, or changes a result.
    func run(
        _ isRight: [Bool], stating state: (inout TrialResult, Place) -> Void = { _, _ in }
    ) -> ScoredRun {
        var trials = [[ScoredRun.Trial]](repeating: [], count: groups.count)
        for (index, cell) in cells.enumerated() {
            let recording = "recording \(recordings[index])"
            var result = TrialResult(character: isRight[index] ? "c" : "m")!
            state(&result, .positive(index))
            trials[cell].append(
                .init(
                    id: "p\(index)", cluster: recording, recording: recording, isPositive: true,
                    result: result))
        }
        for cell in groups.indices {
            for number in 0..<negatives {
                let recording = "negative \(number)"
                var result = TrialResult(character: "r")!
                state(&result, .negative(cell: cell, number: number))
                trials[cell].append(
                    .init(
                        id: "n\(cell) \(number)", cluster: recording, recording: recording, isPositive: false,
                        result: result))
            }
        }
        return ScoredRun(
            identity: Self.identity,
            cells: groups.indices.map { cell in
                ScoredRun.Cell(
                    key: CellScore.Key(degradation: "cell", severity: "\(cell)", lengthSeconds: 5),
                    group: groups[cell], trials: trials[cell])
            })
    }

    private static let identity: ScoredRun.Identity = {
        // The identity does not depend on the trials.
        guard let run = try? GateSample(positives: [("a", "c")]).scored() else {
            preconditionFailure("no run")
        }
        return run.identity
    }()
}

extension Panel {
    /// Makes `count` trials right that were not, or the other way.
    ///
    /// - Parameter isMixed: takes trials of cells first in which some are found and some are not.
    fileprivate func flip(
        _ count: Int, to isRight: Bool, in outcomes: inout [Bool], isMixed: Bool = false,
        among isChosen: (Int) -> Bool = { _ in true }, _ generator: inout SeededGenerator
    ) {
        let mixed = Set(zip(cells, self.isRight).filter { !$1 }.map(\.0))
        let candidates = self.isRight.indices
            .filter { self.isRight[$0] != isRight && outcomes[$0] != isRight && isChosen($0) }
            .shuffled(using: &generator)
        let ordered =
            isMixed
            ? candidates.filter { mixed.contains(cells[$0]) }
                + candidates.filter { !mixed.contains(cells[$0]) }
            : candidates
        for index in ordered.prefix(count) { outcomes[index] = isRight }
    }

    private func churn(_ count: Int, isExact: Bool) -> PlantedChange {
        PlantedChange(
            row: isExact ? "" : ", by chance", column: "\(count)", verdict: .pass,
            // By chance a few are a loss of one cell.
            least: isExact ? 0.99 : 0.85
        ) { panel, outcomes, isMixed, generator in
            let lost = isExact ? count : (0..<(2 * count)).count { _ in generator.unit() < 0.5 }
            panel.flip(lost, to: false, in: &outcomes, isMixed: isMixed, &generator)
            panel.flip(2 * count - lost, to: true, in: &outcomes, isMixed: isMixed, &generator)
        }
    }

    private func loss(_ points: Double, column: String, churn: Int, least: Double?) -> PlantedChange {
        let net = Int((Double(isRight.count) * (1 + points) / 100).rounded())
        return PlantedChange(
            row: ", churn \(churn)", column: column, verdict: .fail, least: least
        ) { panel, outcomes, isMixed, generator in
            panel.flip(net, to: false, in: &outcomes, &generator)
            panel.flip(churn, to: false, in: &outcomes, isMixed: isMixed, &generator)
            panel.flip(churn, to: true, in: &outcomes, isMixed: isMixed, &generator)
        }
    }

    /// A larger cell loses the same share.
    private func oneCell(churn: Int) -> PlantedChange {
        PlantedChange(
            row: "",
            column: churn == 0 ? "a cell loses 8 of 22: fail" : "with churn \(churn): fail",
            verdict: .fail, least: 0.95
        ) { panel, outcomes, _, generator in
            let sizes = panel.groups.indices.map { cell in
                zip(panel.cells, panel.isRight).count { $0 == cell && $1 }
            }
            let whole = panel.groups.indices.filter { sizes[$0] >= 22 }
            let chosen = whole[generator.index(below: whole.count)]
            panel.flip(
                sizes[chosen] * 8 / 22, to: false, in: &outcomes, among: { panel.cells[$0] == chosen },
                &generator)
            panel.flip(churn, to: false, in: &outcomes, among: { panel.cells[$0] != chosen }, &generator)
            panel.flip(churn, to: true, in: &outcomes, among: { panel.cells[$0] != chosen }, &generator)
        }
    }

    private func oneRecording(_ lost: Int) -> PlantedChange {
        PlantedChange(row: "", column: "a recording loses \(lost): fail", verdict: .fail, least: 0.95) {
            panel, outcomes, _, generator in
            let chosen = generator.index(below: panel.recordingCount)
            panel.flip(lost, to: false, in: &outcomes, among: { panel.recordings[$0] == chosen }, &generator)
            panel.flip(10, to: true, in: &outcomes, among: { panel.recordings[$0] != chosen }, &generator)
        }
    }

    /// Half of the recordings win as many trials as the others lose.
    private func drift(_ count: Int) -> PlantedChange {
        PlantedChange(
            row: "", column: count == 1 ? "each recording ±1: pass" : "each ±\(count): pass", verdict: .pass,
            least: 0.95
        ) {
            panel, outcomes, _, generator in
            let order = (0..<panel.recordingCount).shuffled(using: &generator)
            for (place, recording) in order.enumerated() {
                panel.flip(
                    count, to: place.isMultiple(of: 2), in: &outcomes,
                    among: { panel.recordings[$0] == recording }, &generator)
            }
        }
    }

    private func gain(_ won: Int) -> PlantedChange {
        PlantedChange(row: "", column: "\(won) won: improved", verdict: .improved, least: 0.9) {
            panel, outcomes, _, generator in
            panel.flip(won, to: true, in: &outcomes, &generator)
        }
    }

    /// At most a third of the missed trials are won, as most may be of one cell: one that wins half of its own has improved.
    var changes: [PlantedChange] {
        let missed = isRight.count { !$0 }
        func churns(_ counts: [Int]) -> [Int] { counts.filter { 3 * $0 <= missed } }
        let drifts = [1, 3].filter { 3 * $0 * ((recordingCount + 1) / 2) <= missed }
        let neutral = churns([1, 5, 20, 60]).flatMap {
            [churn($0, isExact: true), churn($0, isExact: false)]
        }
        let losses = [(-0.5, "−0.5"), (0.5, "+0.5"), (1, "+1"), (2, "+2"), (5, "+5")].flatMap {
            points, column in
            churns([0, 20, 40]).map {
                loss(points, column: column, churn: $0, least: points >= 1 ? 0.9 : nil)
            }
        }
        return [churn(0, isExact: true)] + neutral + losses + churns([0, 20]).map(oneCell)
            + drifts.map(drift) + [oneRecording(16), gain(10)]
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
