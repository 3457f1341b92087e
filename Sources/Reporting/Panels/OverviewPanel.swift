// SPDX-License-Identifier: GPL-3.0-or-later
import Degradations
import Evaluation
import Metrics

/// The headline figures, the first screen and the notes.
struct OverviewPanel: ReportPanel {
    init(_ model: ReportModel) {}

    func section(_ model: ReportModel) -> FigureSection? {
        guard !model.trials.isEmpty else { return nil }
        let shard = model.facts.shard.map {
            "This is shard \($0). Its figures are of 1 of \($0.count) parts of the plan."
        }
        let finding = model.facts.memoryCheck?.finding
        let notes = [shard, finding].compactMap(\.self) + model.facts.notes
        return FigureSection(
            id: "overview", title: "", text: "", link: "Overview", label: "Overview",
            remarks: (model.facts.memoryCheck?.warnings ?? []) + notes.filter(Plan.isCountsNote),
            tiles: Tile.all(model),
            overview: [OverviewContent(model)].compactMap(\.self),
            folds: notes.isEmpty ? [] : [FigureFold(summary: "Notes on corpus and plan", notes: notes)])
    }
}

extension OverviewContent {
    /// Nil without positives.
    init?(_ model: ReportModel) {
        let anchors = model.anchors
        let groups = model.groups.filter { $0.score.recall.trials > 0 }
        guard !groups.isEmpty else { return nil }
        // No axis starts above a half: a small difference must not look large.
        let lowest = groups.compactMap { $0.score.recall.wilsonInterval()?.lower }.min() ?? 0
        let start = min(0.5, (lowest * 10).rounded(.down) / 10)
        axisStart = NumberText.plain(start * 100)
        families = groups.map { group in
            let recall = group.score.recall
            let worst = group.weakest
            return Family(
                anchor: group.anchor, title: group.group.title, recall: recall.text, interval: recall.range,
                bar: RangeBar.style(recall.wilsonInterval(), recall.rate) {
                    ($0 - start) / (1 - start) * 100
                },
                worstAnchor: worst.flatMap { anchors[$0.key] } ?? "",
                worst: worst.map { $0.title(in: group) }
                    ?? "all \(group.cells.count.text("condition")) found",
                worstRecall: worst.map { $0.score.recall.text } ?? "")
        }
        noiseMatrix = NoiseMatrix(groups.first { $0.group == .noise }?.cells ?? [], anchors: anchors)
        recordingBars = RecordingBars(model.recordings)
        typicalMiss = TypicalMiss(model)
    }
}

extension NoiseMatrix {
    /// Nil with fewer than two ratios.
    init?(_ cells: [CellScore], anchors: [CellScore.Key: String]) {
        let lengths = Set(cells.map(\.key.lengthSeconds))
        let leveled = cells.compactMap { cell in
            cell.severityValue.map { (cell: cell, level: $0, name: Self.name(cell, lengths.count > 1)) }
        }.filter { $0.cell.score.recall.trials > 0 }
        let levels = Set(leveled.map(\.level)).sorted(by: >)
        guard levels.count > 1 else { return nil }
        columns = levels.map { ($0 > 0 ? "+" : "") + NumberText.plain($0) }
        rows = leveled.grouped(by: \.name).map { name, members in
            let cellOfLevel = Dictionary(
                members.map { ($0.level, $0.cell) }, uniquingKeysWith: { first, _ in first })
            return (
                name,
                levels.map { level in
                    guard let cell = cellOfLevel[level] else {
                        return Entry(anchor: "", text: "", heat: "", spoken: "")
                    }
                    let recall = cell.score.recall
                    return Entry(
                        anchor: anchors[cell.key] ?? "",
                        text: NumberText.optional(recall.rate) { NumberText.percent($0, trials: 0) },
                        heat: HeatStep.style(of: recall),
                        spoken: "\(cell.title): \(recall.text), \(recall.counts)")
                }
            )
        }
        let counts = leveled.map(\.cell.score.recall.trials)
        let (fewest, most) = (counts.min() ?? 1, counts.max() ?? 1)
        let points = NumberText.significant(100 / Double(most), digits: 1)
        caption =
            "recall in %, \(fewest == most ? "\(most)" : "\(fewest)–\(most)") queries a cell: one miss is "
            + "\(points) points"
    }

    private static func name(_ cell: CellScore, _ namesLength: Bool) -> String {
        cell.key.degradation + (namesLength ? ", \(NumberText.length(cell.key.lengthSeconds))" : "")
    }
}

extension RecordingBars {
    private static let mostBars = 60

    /// Nil without recordings.
    init?(_ recordings: [RecordingScore]) {
        guard !recordings.isEmpty else { return nil }
        let worstNames = Set(WorstRecordings(recordings)?.recordings.map(\.name) ?? [])
        bars = recordings.prefix(Self.mostBars).map { recording in
            let recall = recording.score.recall
            return Bar(
                name: recording.name, title: recording.title,
                style: "--rate:\(NumberText.fixed((recall.rate ?? 0) * 100, digits: 1))%",
                recall: recall.text, counts: "\(recording.misses.text) of \(recall.trials.text) missed",
                isWorst: worstNames.contains(recording.name))
        }
        worst = bars.filter(\.isWorst)
        let count = recordings.count.text("recording")
        let cut =
            recordings.count > bars.count ? ", the \(bars.count) with the most misses" : ", most misses first"
        let mean = recordings.reduce(0) { $0 + $1.score.recall.trials } / recordings.count
        caption = "recall of each of \(count)\(cut), about \(mean.text("query", "queries")) each"
    }
}

extension TypicalMiss {
    /// Nil without a failed positive.
    init?(_ model: ReportModel) {
        let missed = model.trials.enumerated().filter {
            $1.outcome == .missed || $1.outcome == .wrongReference
        }
        let heard = missed.filter { model.shown.embedded.contains($1.record.trial.id) }
        let groupOfKey = model.groupOfKey
        func group(_ trial: JudgedTrial) -> ConditionGroup {
            groupOfKey[CellScore.Key(trial.record)] ?? .other
        }
        let misses = Dictionary(grouping: missed) { group($1) }.mapValues(\.count)
        let weak = Set(WorstRecordings(model.recordings)?.recordings.map(\.name) ?? [])
        func weight(_ trial: JudgedTrial) -> (Int, Int, Int) {
            (
                weak.contains(trial.record.trial.source) ? 1 : 0, trial.rightRank == 1 ? 1 : 0,
                misses[group(trial)] ?? 0
            )
        }
        let choice = heard.isEmpty ? missed : heard
        guard let (place, trial) = choice.max(by: { weight($0.element) < weight($1.element) }) else {
            return nil
        }
        self.place = place
        condition = CellScore.Key(trial.record).title
        recording = RecordingScore.title(of: trial.record.trial.source)
        reason = TrialReason(model).text(trial)
        hasSound = !heard.isEmpty
    }
}
