import Metrics
import SystemIO

/// The trials of a run beside the same trials of an earlier one.
package struct PairedRun: Sendable {
    package struct Pair: Sendable {
        package var now: ScoredRun.Trial
        /// Its result in the baseline; nil without one.
        package var before: TrialResult?
    }

    package struct Cell: Sendable {
        package var cell: ScoredRun.Cell
        package var pairs: [Pair]
    }

    package private(set) var cells: [Cell]

    /// Pairs a run with a baseline, or with nothing.
    ///
    /// - Throws: ``GateError`` that names the difference: plan, corpus, half, seed, or the cells of other queries.
    package init(_ run: ScoredRun, baseline: Baseline?) throws {
        guard let baseline else {
            self.init(unpaired: run.cells)
            return
        }
        try Self.check(run, baseline)
        let stored = Dictionary(
            baseline.cells.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        self.init(unpaired: run.cells)
        for (place, cell) in cells.enumerated() {
            let before = stored[cell.cell.key]?.results ?? []
            guard before.count == cell.pairs.count else {
                throw GateError(
                    "the baseline has \(before.count) trials of \(cell.cell.key.words), the run \(cell.pairs.count)"
                )
            }
            for (index, result) in before.enumerated() { cells[place].pairs[index].before = result }
        }
    }

    /// Cells without a baseline.
    init(unpaired cells: [ScoredRun.Cell]) {
        self.cells = cells.map { cell in
            let trials = cell.trials.filter(\.isPositive) + cell.trials.filter { !$0.isPositive }
            return Cell(cell: cell, pairs: trials.map { Pair(now: $0, before: nil) })
        }
    }

    /// The scores of all trials that both runs answered.
    ///
    /// - Parameter isCounted: chooses the positives whose recall is compared; all trials set the thresholds.
    package func scores(
        counting isCounted: (ScoredRun.Trial) -> Bool = { _ in true }
    ) -> [FittedRecallDifference.Pair] {
        cells.flatMap(\.pairs).compactMap { pair in
            guard let before = pair.before, before.isEvidence, pair.now.result.isEvidence else { return nil }
            let isPositive = pair.now.isPositive
            return .init(
                cluster: pair.now.cluster, before: before.scores(isPositive: isPositive),
                after: pair.now.result.scores(isPositive: isPositive), isCounted: isCounted(pair.now))
        }
    }

    private static func check(_ run: ScoredRun, _ baseline: Baseline) throws {
        let (now, before) = (run.identity, baseline.identity)
        let cells = otherCells(run, baseline)
        guard now.panelDigest != before.panelDigest || !cells.isEmpty else { return }
        let parts: [(String, String, String)] = [
            ("plan", now.plan, before.plan), ("corpus", now.corpus, before.corpus),
            ("half", now.half, before.half), ("seed", "\(now.seed)", "\(before.seed)"),
            ("lock of the corpus", now.corpusDigest, before.corpusDigest),
        ]
        var differing = parts.filter { $0.1 != $0.2 }.map { "\($0.0) \($0.1) against \($0.2)" }
        if differing.isEmpty {
            differing = otherQueries(cells)
            if !cells.isEmpty { differing += otherLibraries(now.libraries, before.libraries) }
        }
        throw GateError(
            "the run cannot be compared with the baseline because their trials differ: "
                + (differing.isEmpty
                    ? "the plan's text or its options differ (\(now.plan))"
                    : differing.joined(separator: ", ")),
            kind: .otherQueries)
    }

    /// A cell whose queries differ, with the parts that differ in words.
    private struct OtherCell {
        let words: String
        let parts: [String]
    }

    /// The cells of both whose queries differ.
    private static func otherCells(_ run: ScoredRun, _ baseline: Baseline) -> [OtherCell] {
        let before = Dictionary(baseline.cells.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        return run.cells.compactMap { cell in
            guard let was = before[cell.key], was.queryDigest != cell.queryDigest else { return nil }
            guard let now = cell.queryParts, let then = was.queryParts else {
                return OtherCell(words: cell.key.words, parts: [])
            }
            let names = Set(now.keys).union(then.keys).sorted().filter { now[$0] != then[$0] }
            return OtherCell(
                words: cell.key.words,
                parts: names.map { "\($0): \(now[$0] ?? "none") against \(then[$0] ?? "none")" })
        }
    }

    /// The cells of equal differences, with these.
    private static func otherQueries(_ cells: [OtherCell]) -> [String] {
        let alike = Dictionary(grouping: cells, by: \.parts).sorted { $0.key.joined() < $1.key.joined() }
        return alike.map { parts, cells in
            let named = cells.prefix(mostNamed).map(\.words).joined(separator: "; ")
            let rest = cells.count > mostNamed ? "; and \(cells.count - mostNamed) more" : ""
            let reasons = parts.isEmpty ? "" : ", of \(parts.joined(separator: ", "))"
            return "other queries in \(cells.count.counting("cell")) (\(named)\(rest))\(reasons)"
        }
    }

    private static func otherLibraries(_ now: [String: String], _ before: [String: String]) -> [String] {
        Set(now.keys).union(before.keys).sorted().filter { now[$0] != before[$0] }
            .map { "\($0) \(now[$0] ?? "none") against \(before[$0] ?? "none")" }
    }

    private static let mostNamed = 12
}

extension Baseline.StoredCell {
    package var results: [TrialResult] {
        (positives + negatives).enumerated().compactMap { index, character in
            var result = TrialResult(character: character)
            for (name, values) in magnitudes { result?.numbers[name] = values[index] }
            return result
        }
    }
}

extension Baseline {
    /// How many results differ in a run that would replace the baseline: a line for each cell.
    public func changes(to run: ScoredRun) throws -> [String] {
        guard run.identity.panelDigest == identity.panelDigest else {
            return ["the baseline there is of other trials and is replaced"]
        }
        return try PairedRun(run, baseline: self).cells.compactMap { cell in
            let changed = cell.pairs.filter { $0.before?.character != $0.now.result.character }
            let kinds = Dictionary(grouping: changed) {
                "\($0.before?.character ?? "?") → \($0.now.result.character)"
            }
            let counts = kinds.sorted { $0.key < $1.key }.map { "\($0.value.count) × \($0.key)" }
            return counts.isEmpty ? nil : "\(cell.cell.key.words): \(counts.joined(separator: ", "))"
        }
    }
}
