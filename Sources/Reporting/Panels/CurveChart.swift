import Degradations
import Evaluation
import Metrics

/// Recall against a numeric severity: decibels, percent, seconds, hertz.
struct CurveChart: Encodable {
    struct Series: Encodable {
        let name: String
        let points: [RecallPoint]
    }

    let id: String
    let title: String
    let group: ConditionGroup
    let axis: String
    let scale: LineChart.Scale
    let series: [Series]
    let spoken: String

    private enum CodingKeys: String, CodingKey { case id, axis, scale, series }

    /// The curves of a run, at most one for each group that has a scale and misses; noise has ``NoiseChart``.
    static func all(_ model: ReportModel, anchors: [CellScore.Key: String]) -> [CurveChart] {
        model.groups.compactMap { group in
            switch group.group {
            case .skew:
                CurveChart(group, anchors, "Recall against skew", "change, %") { $0.severityValue }
            case .length:
                CurveChart(
                    group, anchors, "Recall against query length", "query length, s", scale: .logarithmic
                ) {
                    $0.key.severity.isEmpty || $0.severityValue == $0.key.lengthSeconds
                        ? $0.key.lengthSeconds : nil
                }
            case .sampleRate:
                CurveChart(
                    group, anchors, "Recall against sample rate", "sample rate, kHz", scale: .logarithmic
                ) {
                    $0.severityValue.map { $0 / 1000 }
                }
            default: nil
            }
        }
    }

    private init?(
        _ group: ReportModel.GroupScore, _ anchors: [CellScore.Key: String], _ title: String,
        _ axis: String, scale: LineChart.Scale = .linear, x: (CellScore) -> Double?
    ) {
        let lengths = Dictionary(grouping: group.cells, by: \.key.degradation)
            .mapValues { Set($0.map(\.key.lengthSeconds)).count }
        let points = group.cells.compactMap { cell -> (name: String, point: RecallPoint)? in
            guard let x = x(cell), x.isFinite, scale == .linear || x > 0,
                let point = RecallPoint(
                    x: x, label: cell.title, anchor: anchors[cell.key], cell.score.recall)
            else { return nil }
            // Where severities come at several lengths, each length is a curve of its own.
            let sharesName = group.group != .length && (lengths[cell.key.degradation] ?? 1) > 1
            let name =
                cell.key.degradation + (sharesName ? ", \(NumberText.length(cell.key.lengthSeconds))" : "")
            return (name, point)
        }
        series = points.grouped(by: \.name).compactMap { name, members in
            let sorted = members.map(\.point).sorted { $0.x < $1.x }
            return sorted.count >= 2 ? Series(name: name, points: sorted) : nil
        }
        // A line at 100 % answers nothing that the text does not.
        guard series.contains(where: { $0.points.contains { $0.recall < 1 } }) else { return nil }
        self.group = group.group
        id = "curve-\(group.group.rawValue)"
        self.title = title
        self.axis = axis
        self.scale = scale
        spoken =
            "\(title). "
            + series.map { series in
                let worst = series.points.min { $0.recall < $1.recall }
                let low =
                    worst.map { "\(NumberText.percent($0.recall, trials: $0.of)) % at \($0.label ?? "")" }
                    ?? ""
                return "\(series.name): lowest \(low)"
            }.joined(separator: "; ") + ". The table below holds every point."
    }
}
