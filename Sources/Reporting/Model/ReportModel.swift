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
    package let matrices: [FormatMatrix]
    /// Recordings with doubtful truth; nil without a list.
    let suspects: SuspectList?
    /// The parts of the report with figures of their own.
    private(set) var panels: [any ReportPanel] = []

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

    init(
        records: [TrialRecord], facts: RunFacts, suspects: SuspectList?, commands: RunCommands,
        panels: [any ReportPanel.Type]
    ) {
        self.facts = facts
        self.commands = commands
        self.suspects = suspects
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
        let groupOfKey = Self.groupOfKey(cells)
        let members = Dictionary(grouping: trials) { groupOfKey[CellScore.Key($0.record)] ?? .other }
        groups = ConditionGroup.allCases.compactMap { group in
            members[group].map { trials in
                GroupScore(
                    group: group, score: Scorecard(trials, highestWrongScore: point.highestWrongScore),
                    cells: cells.filter { $0.group == group })
            }
        }
        setZeroFalseAcceptIntervals()
        self.panels = panels.map { $0.init(self) }
    }

    /// The panel of one kind.
    func panel<Kind: ReportPanel>(_ kind: Kind.Type) -> Kind? {
        panels.lazy.compactMap { $0 as? Kind }.first
    }

    /// The row of each condition on the page.
    var anchors: [CellScore.Key: String] {
        Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($1.key, "cell-\($0 + 1)") })
    }

    /// The group of each condition.
    var groupOfKey: [CellScore.Key: ConditionGroup] { Self.groupOfKey(cells) }

    private static func groupOfKey(_ cells: [CellScore]) -> [CellScore.Key: ConditionGroup] {
        Dictionary(cells.map { ($0.key, $0.group) }, uniquingKeysWith: { first, _ in first })
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

extension CellScore.Key {
    /// The condition in words.
    var title: String {
        let condition = NumberText.condition(severity: severity, lengthSeconds: lengthSeconds)
        return degradation + (severity.isEmpty ? ", " : " ") + condition
    }
}

extension CellScore {
    /// The condition in words: `pink noise −3 dB, 5 s`.
    var title: String { key.title }

    /// The condition in words; without its length where the whole group has one.
    func title(in group: ReportModel.GroupScore) -> String {
        let lengths = Set(group.cells.map(\.key.lengthSeconds))
        guard lengths.count == 1, !key.severity.isEmpty else { return title }
        return "\(key.degradation) \(NumberText.severity(key.severity))"
    }
}

extension ReportModel.GroupScore {
    var anchor: String { "group-\(group.rawValue)" }

    /// The condition with the lowest recall; nil where every query is found.
    var weakest: CellScore? {
        let missing = cells.filter { ($0.score.recall.rate ?? 1) < 1 }
        return missing.min { ($0.score.recall.rate ?? 1) < ($1.score.recall.rate ?? 1) }
    }
}
