// SPDX-License-Identifier: GPL-3.0-or-later
import Corpora
import Degradations
import Evaluation
import Metrics

/// All figures of a report; CSV, JSON, HTML and the terminal only render them.
public struct ReportModel: Sendable {
    /// The version of columns and keys; it grows when the meaning of one changes.
    public static let schemaVersion = 5

    static let resamples = 999

    /// Matcher, plan, corpus and machine of the run.
    public let facts: RunFacts
    package let commands: RunCommands
    /// Every trial with its outcome, in the order of the plan.
    public let trials: [JudgedTrial]
    /// The figures of each cell, in the order of the plan.
    public private(set) var cells: [CellScore]
    /// The figures of the whole run.
    public private(set) var overall: Scorecard
    /// The figures of each group of conditions that occurs, in the order of ``ConditionGroup``.
    public private(set) var groups: [GroupScore]
    /// The figures of each recording that positives were cut from, those with the most misses first.
    public let recordings: [RecordingScore]
    /// The lowest threshold of the run with no false accept and no wrong reference.
    package let zeroFalseAccepts: ZeroFalseAcceptPoint
    /// Nil when the matcher states no confidence, or without positives or negatives.
    package let reliability: ReliabilityDiagram?
    /// How well scores separate right answers from false accepts; nil without positives or negatives.
    package let separation: SeparationFigures?
    /// The cost of the threshold at stated priors; nil without positives or negatives.
    package let costs: CostFigures?
    /// Ranked answers, whatever their score: all positives, then each query length.
    package let retrieval: [RetrievalFigures]
    /// Recall against the signal-to-noise ratio, for each kind of noise and query length with enough ratios.
    package let noiseCurves: [NoiseCurve]
    /// How precise the skews of correct answers are; empty where the matcher states none.
    package let skews: [SkewScorecard]
    package let matrices: [FormatMatrix]

    /// The figures without suspect trials; nil without a list of suspects.
    package let withoutSuspects: WithoutSuspects?

    package var against: BaselineComparison?
    /// Nil without an earlier run of the same trials.
    package var previous: PreviousRun?
    package var shown = ShownTrials()
    /// Lists every condition in the summary, too.
    package var summaryListsConditions = false

    /// The figures of the cells of one group.
    public struct GroupScore: Sendable {
        /// What the cells have in common.
        public let group: ConditionGroup
        /// The figures of the group.
        public fileprivate(set) var score: Scorecard
        /// The figures of each cell.
        package let cells: [CellScore]
    }

    /// Judges and scores the records of a run, in any order.
    public init(records: [TrialRecord], facts: RunFacts) {
        self.init(records: records, facts: facts, suspects: nil, commands: .none)
    }

    /// The same with another list of commands.
    ///
    /// - Parameter suspects: recordings with doubtful truth. With a list the run is scored without them too.
    package init(
        records: [TrialRecord], facts: RunFacts, suspects: SuspectList? = nil, commands: RunCommands = .none
    ) {
        self.facts = facts
        self.commands = commands
        let trials = records.sorted { ($0.trial.index, $0.trial.id) < ($1.trial.index, $1.trial.id) }
            .map { JudgedTrial($0, threshold: facts.scoreThreshold) }
        let point = ZeroFalseAcceptPoint(trials.compactMap(\.evidence))
        var cells = CellScore.cells(of: trials, highestWrongScore: point.highestWrongScore)
        matrices = cells.filter { $0.group == .format }.grouped(by: \.key.degradation)
            .compactMap { FormatMatrix($0.elements) }
        let crossed = Set(matrices.map(\.degradation))
        for index in cells.indices where cells[index].group == .format {
            if crossed.contains(cells[index].key.degradation) { cells[index].group = .matrix }
        }
        self.trials = trials
        self.cells = cells
        overall = Scorecard(trials, highestWrongScore: point.highestWrongScore)
        recordings = RecordingScore.all(
            trials, highestWrongScore: point.highestWrongScore, facts: facts.recordings ?? [:])
        zeroFalseAccepts = point
        reliability = Self.reliability(of: trials)
        separation = SeparationFigures(trials, seed: facts.seed)
        costs = CostFigures(trials)
        retrieval = RetrievalFigures.all(trials)
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
        setZeroFalseAcceptIntervals()
    }

    /// Gives the run, its groups and its cells the intervals of their recall at zero false accepts.
    private mutating func setZeroFalseAcceptIntervals() {
        let run = trials.filter { $0.evidence != nil }
        let cellOfKey = Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($1.key, $0) })
        let groupOfCell = cells.map { cell in groups.firstIndex { $0.group == cell.group } ?? 0 }
        // The run is set 0, then come the groups and the cells.
        let intervals = ZeroFalseAcceptPoint.intervals(
            of: run.map { trial in
                let cell = cellOfKey[CellScore.Key(trial.record)] ?? 0
                return (trial.cluster, trial.scores, [0, 1 + groupOfCell[cell], 1 + groups.count + cell])
            }, sets: 1 + groups.count + cells.count,
            ClusterBootstrap(resamples: Self.resamples, seed: facts.seed))
        guard !intervals.isEmpty else { return }
        overall.recallAtZeroFalseAcceptsInterval = intervals[0]
        for group in groups.indices {
            groups[group].score.recallAtZeroFalseAcceptsInterval = intervals[1 + group]
        }
        for cell in cells.indices {
            cells[cell].score.recallAtZeroFalseAcceptsInterval = intervals[1 + groups.count + cell]
        }
    }

    /// Confidences of the best candidates at a prevalence of one positive to one negative.
    ///
    /// A confidence is a probability at that prevalence. So positives and negatives have equal weight in total.
    private static func reliability(of trials: [JudgedTrial]) -> ReliabilityDiagram? {
        let run = trials.filter { $0.outcome != nil && $0.record.error == nil }
        let positives = run.count(where: \.record.trial.isPositive)
        guard positives > 0, positives < run.count else { return nil }
        let weights = [true: positives, false: run.count - positives].mapValues { 0.5 / Double($0) }
        return ReliabilityDiagram(
            run.compactMap { trial in
                guard let forecast = trial.forecast, let weight = weights[trial.record.trial.isPositive]
                else {
                    return nil
                }
                return .init(
                    probability: forecast.probability, happened: forecast.happened, weight: weight,
                    cluster: trial.cluster)
            })
    }

    /// The length of the references per second of enrolment; nil when no time was measured.
    public var enrolmentTimesRealTime: Double? {
        facts.enrolSeconds > 0 ? facts.referenceSeconds / facts.enrolSeconds : nil
    }

    /// The length of the decoded audio per second of decoding; nil when no time was measured.
    public var decodingTimesRealTime: Double? {
        facts.decodeSecondsTotal > 0 ? facts.decodedAudioSeconds / facts.decodeSecondsTotal : nil
    }

    /// The size of the index in bytes per hour of references; nil when it is not known.
    public var indexBytesPerHour: Double? {
        guard let bytes = facts.indexBytes, facts.referenceSeconds > 0 else { return nil }
        return Double(bytes) / facts.referenceSeconds * 3600
    }

    /// The latency at each query length, shortest first.
    var latencies: [(lengthSeconds: Double, latency: LatencyByKind)] {
        Dictionary(grouping: trials, by: \.record.trial.cell.lengthSeconds).sorted { $0.key < $1.key }
            .map { ($0.key, LatencyByKind($0.value)) }
    }
}

extension ReportModel {
    /// The cells whose whole interval is below the recall of the run, lowest recall first.
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

/// The processor time of a run by stage.
package struct StageShares: Codable, Hashable, Sendable {
    /// Trials per processor second, without enrolment.
    package let trialsPerSecond: Double
    /// The share of each stage by its name: queries, matching, judging, storing; 0…1, together 1.
    package let shares: [String: Double]

    /// Nil where no time was measured, and where answers came from the cache.
    package init?(_ facts: RunFacts) {
        guard let seconds = facts.stageSeconds, let trials = facts.stageTrialCount, trials > 0,
            facts.cachedAnswers ?? 0 == 0
        else {
            return nil
        }
        let total = seconds.values.sorted().reduce(0, +)
        guard total > 0 else { return nil }
        trialsPerSecond = Double(trials) / total
        shares = seconds.mapValues { $0 / total }
    }

    /// In words: `9.1 trials per processor second: queries 84.0 %, matching 15.2 %, …`.
    var words: String {
        let parts = shares.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.key) \(NumberText.share($0.value))" }
        return "\(NumberText.fixed(trialsPerSecond, digits: 1)) trials per processor second: "
            + parts.joined(separator: ", ")
    }
}

/// The commands that a report prints, as the program that writes it spells them.
package struct RunCommands: Sendable {
    /// Puts a trial to the matcher; the trial's name follows as one shell word.
    package var tryTrial: String
    /// The options that choose the matcher.
    package var matcher: String

    package init(tryTrial: String, matcher: String) {
        self.tryTrial = tryTrial
        self.matcher = matcher
    }

    /// Prints the names of trials only.
    package static let none = RunCommands(tryTrial: "", matcher: "")
}
