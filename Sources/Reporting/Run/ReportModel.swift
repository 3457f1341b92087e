import Corpora
import Evaluation
import Metrics

/// Everything a report says, computed once; CSV, JSON, HTML and the terminal only render it.
package struct ReportModel: Sendable {
    /// The version of the meaning of columns and keys; it grows when one of them changes.
    package static let schemaVersion = 3

    /// How many resamples an interval by bootstrap is drawn from.
    static let resamples = 999

    /// Where the records come from.
    package let facts: RunFacts
    /// The judged trials, in the order of the plan.
    package let trials: [JudgedTrial]
    /// The figures of each cell, in the order of the plan.
    package let cells: [CellScore]
    /// The figures of the whole run.
    package let overall: Scorecard
    /// The figures of each group of conditions that occurs, in the order of ``ConditionGroup``.
    package let groups: [GroupScore]
    /// The lowest threshold of the run with no false accept and no wrong reference.
    package let zeroFalseAccepts: ZeroFalseAcceptPoint
    /// How often stated confidences came true; nil when the matcher states none, or without
    /// positives or negatives.
    package let reliability: ReliabilityDiagram?
    /// How well scores part right answers from false accepts; nil without positives or negatives.
    package let separation: SeparationFigures?
    /// Recall against the signal-to-noise ratio, for each kind of noise and query length with enough ratios.
    package let noiseCurves: [NoiseCurve]
    /// How precise the skews of correct answers are; empty where the matcher states none.
    package let skews: [SkewScorecard]
    /// The families that cross encodings with sample rates or layouts, in the order of the plan.
    package let matrices: [FormatMatrix]

    /// The figures without the trials that a list of suspects puts in doubt; nil when there is no list.
    package let withoutSuspects: WithoutSuspects?

    /// The verdict against a baseline and what changed; nil where none was given.
    package var against: BaselineComparison?
    /// The trials that are shown in full; none unless they are set.
    package var shown = ShownTrials()

    /// The figures of a group of conditions.
    package struct GroupScore: Sendable {
        /// The group.
        package let group: ConditionGroup
        /// The figures of all its trials.
        package let score: Scorecard
        /// Its cells, in the order of the plan.
        package let cells: [CellScore]
    }

    /// Judges and scores the records of a run, which may come in any order.
    ///
    /// - Parameter suspects: recordings whose truth is in doubt; with a list all is scored without them too.
    package init(records: [TrialRecord], facts: RunFacts, suspects: SuspectList? = nil) {
        self.facts = facts
        let trials = records.sorted { ($0.index, $0.trialID) < ($1.index, $1.trialID) }
            .map { JudgedTrial($0, threshold: facts.scoreThreshold) }
        let point = ZeroFalseAcceptPoint(trials.filter { $0.outcome != nil }.map(\.scores))
        var cells = CellScore.cells(of: trials, highestWrongScore: point.highestWrongScore)
        let families = Dictionary(grouping: cells.filter { $0.group == .format }, by: \.key.degradation)
        var order: [String] = []
        for cell in cells where !order.contains(cell.key.degradation) { order.append(cell.key.degradation) }
        matrices = order.compactMap { families[$0].flatMap(FormatMatrix.init) }
        let crossed = Set(matrices.map(\.degradation))
        for index in cells.indices where cells[index].group == .format {
            if crossed.contains(cells[index].key.degradation) { cells[index].group = .matrix }
        }
        self.trials = trials
        self.cells = cells
        overall = Scorecard(trials, highestWrongScore: point.highestWrongScore)
        zeroFalseAccepts = point
        reliability = Self.reliability(of: trials)
        separation = SeparationFigures(trials, seed: facts.seed)
        noiseCurves = NoiseCurve.all(trials, seed: facts.seed)
        skews = SkewScorecard.all(trials)
        withoutSuspects = suspects.map { WithoutSuspects(trials, suspects: $0) }
        let groupOfKey = Dictionary(uniqueKeysWithValues: cells.map { ($0.key, $0.group) })
        let members = Dictionary(grouping: trials) { groupOfKey[CellScore.Key($0.record)] ?? .other }
        groups = ConditionGroup.allCases.compactMap { group in
            members[group].map { trials in
                GroupScore(
                    group: group, score: Scorecard(trials, highestWrongScore: point.highestWrongScore),
                    cells: cells.filter { $0.group == group })
            }
        }
    }

    /// Confidences of the best candidates at a prevalence of one positive to one negative.
    ///
    /// A confidence is a probability at that prevalence, so the positives of the run together weigh as
    /// much as its negatives, however many there are of each; a run of one kind says nothing.
    private static func reliability(of trials: [JudgedTrial]) -> ReliabilityDiagram? {
        let run = trials.filter { $0.outcome != nil && $0.record.error == nil }
        let positives = run.count(where: \.record.isPositive)
        guard positives > 0, positives < run.count else { return nil }
        let weights = [true: positives, false: run.count - positives].mapValues { 0.5 / Double($0) }
        return ReliabilityDiagram(
            run.compactMap { trial in
                guard let forecast = trial.forecast, let weight = weights[trial.record.isPositive] else {
                    return nil
                }
                return .init(
                    probability: forecast.probability, happened: forecast.happened, weight: weight,
                    cluster: trial.cluster)
            })
    }

    /// The length of the references per second of enrolment; nil when no time was measured.
    package var enrolmentTimesRealTime: Double? {
        facts.enrolSeconds > 0 ? facts.referenceSeconds / facts.enrolSeconds : nil
    }

    /// The length of the decoded audio per second of decoding; nil when no time was measured.
    package var decodingTimesRealTime: Double? {
        facts.decodeSecondsTotal > 0 ? facts.decodedAudioSeconds / facts.decodeSecondsTotal : nil
    }

    /// The size of the index in bytes per hour of references; nil when it is not known.
    package var indexBytesPerHour: Double? {
        guard let bytes = facts.indexBytes, facts.referenceSeconds > 0 else { return nil }
        return Double(bytes) / facts.referenceSeconds * 3600
    }

    /// The trials that did not end as they should, worst kind first: false accepts, wrong
    /// references, misses; then errors that still count as correct rejections.
    package var failures: [JudgedTrial] {
        let order: [Outcome] = [.falseAccept, .wrongReference, .missed]
        return order.flatMap { outcome in trials.filter { $0.outcome == outcome } }
            + trials.filter { $0.outcome == .correctReject && $0.record.error != nil }
    }
}

extension ReportModel {
    /// The cells that lost most: those whose recall is surely below the run's, lowest first.
    ///
    /// Surely means that the upper end of the cell's interval lies below the run's recall, so that a
    /// cell of few trials is not put up for bad luck.
    func weakestCells(limit: Int) -> [CellScore] {
        guard let recall = overall.recall.rate else { return [] }
        let weak = cells.filter { cell in
            (cell.score.recall.wilsonInterval()?.upper).map { $0 < recall } ?? false
        }
        return Array(
            weak.sorted { ($0.score.recall.rate ?? 0) < ($1.score.recall.rate ?? 0) }
                .prefix(limit))
    }
}
