import Metrics

/// A set of trials under two runs, and what each run alone got right.
///
/// Probabilities are those of the more cautious of two paired tests: exact McNemar, and sign flips by recording.
package struct CellComparison: Sendable {
    package var words: String
    /// Pairs of positives; before is the first run.
    package var positives: PairedComparison
    /// Pairs of negatives that both runs answered; before is the first run.
    package var negatives: PairedComparison
    /// Recall of the second minus that of the first; nil without positives.
    package var difference: PairedDifference
    /// The probability of a split at least as uneven among positives, with Holm's correction over several sets.
    package var probability: Double
    package var rawProbability: Double

    package init(_ words: String, _ pairs: [PairedRun.Pair]) {
        let offered = pairs.filter { $0.now.result.outcome != nil && $0.before?.outcome != nil }
        let hits = offered.filter(\.now.isPositive).map {
            (
                cluster: $0.now.cluster, before: $0.before?.outcome == .correct,
                after: $0.now.result.outcome == .correct
            )
        }
        self.words = words
        positives = PairedComparison(hits.map { ($0.before, $0.after) })
        negatives = PairedComparison(
            offered.filter { pair in
                !pair.now.isPositive
                    && ![pair.before?.outcome, pair.now.result.outcome].contains(.negativeError)
            }.map {
                ($0.before?.outcome == .correctReject, $0.now.result.outcome == .correctReject)
            })
        difference = PairedDifference(hits)
        rawProbability = PairedEvidence(hits, seed: 0xC0).probability
        probability = rawProbability
    }
}

/// Two runs of the same trials: all trials together, and cell by cell.
package struct ComparedCells: Sendable {
    package let overall: CellComparison
    /// The cells, in the order of the plan; probabilities are corrected over them.
    package let cells: [CellComparison]

    package init(_ paired: PairedRun) {
        let rows = paired.cells.map { CellComparison($0.cell.key.words, $0.pairs) }
        cells = zip(rows, Holm.adjusted(rows.map(\.rawProbability))).map { row, probability in
            var row = row
            row.probability = probability
            return row
        }
        overall = CellComparison("all trials", paired.cells.flatMap(\.pairs))
    }

    /// The cells whose recall or false accepts changed, those least likely by chance first, then the largest changes.
    package var mostChanged: [CellComparison] {
        cells.filter { $0.positives.isChanged || $0.negatives.isChanged }
            .sorted { one, other in
                if one.rawProbability != other.rawProbability {
                    return one.rawProbability < other.rawProbability
                }
                return abs(one.difference.difference ?? 0) > abs(other.difference.difference ?? 0)
            }
    }
}

/// A run beside a baseline: the verdict of the rules, and what changed in each cell.
public struct BaselineComparison: Sendable {
    package let name: String
    package let report: GateReport
    package let changes: ComparedCells

    /// Judges `run` against `baseline` by `rules`.
    ///
    /// - Throws: ``GateError`` when the two are not of the same trials, ``ConfigurationError`` for a rule that
    ///   looks at no trial.
    public init(_ run: ScoredRun, baseline: Baseline, name: String, rules: GateRules) throws {
        self.name = name
        var report = try Gate(rules).judge(run, baseline: baseline)
        report.add(try GatePower(rules, run: run))
        self.report = report
        changes = ComparedCells(try PairedRun(run, baseline: baseline))
    }
}
