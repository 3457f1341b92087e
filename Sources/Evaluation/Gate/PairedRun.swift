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
    /// Which queries only one of the runs has, in words.
    package private(set) var differences: [String] = []

    /// Pairs a run with a baseline, or with nothing.
    ///
    /// Trials of a cell are paired by the digests of their queries, so that names and order do not matter, and new and gone
    /// queries stay unpaired. Where a run stored none, both must be of the same panel, and are paired in its order.
    /// - Throws: ``GateError`` that names the difference: corpus, half, seed, or the cells of other queries.
    package init(_ run: ScoredRun, baseline: Baseline?) throws {
        self.init(unpaired: run.cells)
        guard let baseline else { return }
        let stored = Dictionary(uniqueKeysWithValues: baseline.cells.map { ($0.key, $0) })
        let isSamePanel = run.identity.panelDigest == baseline.identity.panelDigest
        if isSamePanel, let missing = cells.first(where: { stored[$0.cell.key] == nil }) {
            throw GateError(
                "the baseline of the same plan has no cell \(missing.cell.key.words); record it again with "
                    + "`earshot baseline accept`", kind: .otherQueries)
        }
        let isKnown = { (cell: ScoredRun.Cell) in
            cell.trials.allSatisfy { $0.digest != nil }
                && (stored[cell.key].map { $0.queries != nil } ?? true)
        }
        if run.cells.allSatisfy(isKnown), baseline.cells.allSatisfy({ $0.queries != nil }) {
            pairByDigest(stored)
            try checkShare(run, baseline)
        } else {
            try Self.check(run, baseline)
            try pairInOrder(stored)
        }
        let gone = baseline.cells.filter { cell in !cells.contains { $0.cell.key == cell.key } }
        if !gone.isEmpty { differences.append("only in the baseline: \(Self.named(gone.map(\.key.words)))") }
    }

    private mutating func pairInOrder(_ stored: [CellScore.Key: Baseline.StoredCell]) throws {
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

    /// Equal queries of a cell are paired in their order.
    private mutating func pairByDigest(_ stored: [CellScore.Key: Baseline.StoredCell]) {
        var changed: [String] = []
        for (place, cell) in cells.enumerated() {
            guard let before = stored[cell.cell.key] else {
                differences.append("only in the run: \(cell.cell.key.words)")
                continue
            }
            var left = Dictionary(grouping: zip(before.queries ?? [], before.results).reversed(), by: \.0)
            for (index, pair) in cell.pairs.enumerated() {
                cells[place].pairs[index].before = pair.now.digest.flatMap { left[$0]?.popLast()?.1 }
            }
            let new = cells[place].pairs.filter { $0.before == nil }.map(\.now.id)
            let gone = left.values.reduce(0) { $0 + $1.count }
            let both = min(new.count, gone)
            let parts = [
                both > 0 ? "\(both) changed" : nil, new.count > both ? "\(new.count - both) new" : nil,
                gone > both ? "\(gone - both) gone" : nil,
            ].compactMap(\.self)
            if !parts.isEmpty {
                let names = new.isEmpty ? "" : " (\(Self.named(new)))"
                let reasons = both > 0 ? Self.otherParts(cell.cell, before) ?? [] : []
                changed.append(
                    "\(cell.cell.key.words): \(parts.joined(separator: ", "))\(names)"
                        + (reasons.isEmpty ? "" : ", of \(reasons.joined(separator: ", "))"))
            }
        }
        differences += changed.isEmpty ? [] : ["other queries: \(Self.named(changed))"]
    }

    /// - Throws: ``GateError`` if at most half of the queries of the baseline are paired, or if the corpus differs.
    private func checkShare(_ run: ScoredRun, _ baseline: Baseline) throws {
        let pairs = cells.flatMap(\.pairs)
        let paired = pairs.count { $0.before != nil }
        let known = baseline.cells.reduce(0) { $0 + $1.results.count }
        let isSameCorpus = run.identity.corpusDigest == baseline.identity.corpusDigest
        if isSameCorpus, 2 * paired > known { return }
        throw Self.error(
            run, baseline,
            isSameCorpus
                ? "\(paired) of \(known.counting("query", "queries")) of the baseline are in the run" : nil)
    }

    /// The first names of a list.
    private static func named(_ names: [String]) -> String {
        names.prefix(mostNamed).joined(separator: "; ")
            + (names.count > mostNamed ? "; and \(names.count - mostNamed) more" : "")
    }

    /// Cells without a baseline.
    init(unpaired cells: [ScoredRun.Cell]) {
        self.cells = cells.map { cell in
            Cell(cell: cell, pairs: cell.ordered.map { Pair(now: $0, before: nil) })
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
        let cells = otherCells(run, baseline)
        guard run.identity.panelDigest != baseline.identity.panelDigest || !cells.isEmpty else { return }
        throw error(run, baseline, nil)
    }

    /// The error that names how the trials of two runs differ.
    private static func error(_ run: ScoredRun, _ baseline: Baseline, _ found: String?) -> GateError {
        let (now, before) = (run.identity, baseline.identity)
        let cells = otherCells(run, baseline)
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
        if differing.isEmpty { differing = ["the plan's text or its options differ (\(now.plan))"] }
        return GateError(
            "the run cannot be compared with the baseline because their trials differ: "
                + ([found].compactMap(\.self) + differing).joined(separator: ", "),
            kind: .otherQueries)
    }

    /// A cell whose queries differ, with the parts that differ in words.
    private struct OtherCell {
        let words: String
        let parts: [String]
    }

    /// The cells of both whose queries differ.
    private static func otherCells(_ run: ScoredRun, _ baseline: Baseline) -> [OtherCell] {
        let before = Dictionary(uniqueKeysWithValues: baseline.cells.map { ($0.key, $0) })
        return run.cells.compactMap { cell in
            guard let was = before[cell.key], was.queryDigest != cell.queryDigest else { return nil }
            return OtherCell(words: cell.key.words, parts: otherParts(cell, was) ?? [])
        }
    }

    /// The parts of the queries of a cell that differ, in words; nil if they were not stored.
    private static func otherParts(_ cell: ScoredRun.Cell, _ was: Baseline.StoredCell) -> [String]? {
        guard let now = cell.queryParts, let then = was.queryParts else { return nil }
        return Set(now.keys).union(then.keys).sorted().filter { now[$0] != then[$0] }
            .map { "\($0): \(now[$0] ?? "none") against \(then[$0] ?? "none")" }
    }

    /// The cells of equal differences, with these.
    private static func otherQueries(_ cells: [OtherCell]) -> [String] {
        let alike = Dictionary(grouping: cells, by: \.parts).sorted { $0.key.joined() < $1.key.joined() }
        return alike.map { parts, cells in
            let named = named(cells.map(\.words))
            let reasons = parts.isEmpty ? "" : ", of \(parts.joined(separator: ", "))"
            return "other queries in \(cells.count.counting("cell")) (\(named))\(reasons)"
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
        let paired: PairedRun
        do { paired = try PairedRun(run, baseline: self) } catch let error as GateError
            where error.kind == .otherQueries
        {
            return ["the baseline there is of other trials and is replaced"]
        }
        return paired.differences
            + paired.cells.compactMap { cell in
                let changed = cell.pairs.filter { pair in
                    pair.before.map { $0.character != pair.now.result.character } ?? false
                }
                let kinds = Dictionary(grouping: changed) {
                    "\($0.before?.character ?? "?") → \($0.now.result.character)"
                }
                let counts = kinds.sorted { $0.key < $1.key }.map { "\($0.value.count) × \($0.key)" }
                return counts.isEmpty ? nil : "\(cell.cell.key.words): \(counts.joined(separator: ", "))"
            }
    }
}
