import Evaluation
import Metrics
import Studies

/// What a study of intros found, as a few lines for a terminal.
package enum IntroSummary {
    /// Queries within the intro, the time to the only right answer, and the smallest reliable spacing of tags.
    package static func text(_ model: IntroModel) -> String {
        var lines = ["within the intro: all episodes returned, one claimed"]
        lines += model.score.inside.map {
            "  \(title($0.cell)): \(NumberText.rate($0.allAccepted)), \(NumberText.rate($0.wrong)) of \($0.wrong.trials)"
        }
        lines.append(
            "only the right episode within \(NumberText.plain(IntroScore.soonSeconds)) s after it, with 95 % interval"
        )
        lines += model.score.delays.map {
            "  \(title($0.cell)): \(NumberText.rate($0.soon)) (\(NumberText.interval($0.soon))) of \($0.soon.trials)"
        }
        guard !model.tags.rows.isEmpty else { return lines.joined(separator: "\n") }
        lines.append("smallest reliable spacing of skew tags, and episodes that fit in ±5 %")
        lines += model.tags.reliable.map { one in
            let spacing =
                one.spacingPercent.map { "\(NumberText.plain($0)) %, \(one.episodes)" } ?? NumberText.missing
            return "  \(one.condition), \(NumberText.length(one.lengthSeconds)): \(spacing)"
        }
        return lines.joined(separator: "\n")
    }

    private static func title(_ cell: IntroScore.Cell) -> String {
        "\(cell.episodes) episodes, \(cell.condition), \(NumberText.length(cell.lengthSeconds))"
    }
}
