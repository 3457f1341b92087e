// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation
import Metrics

/// The figures with and without suspect trials.
struct SuspectPanel: ReportPanel {
    /// Nil without a list of suspects.
    let without: WithoutSuspects?

    init(_ model: ReportModel) {
        without = model.suspects.map { WithoutSuspects(model.trials, suspects: $0) }
    }

    var summary: [JSONObject.Entry] { [("withoutSuspects", without.map(Self.json))] }

    func section(_ model: ReportModel) -> FigureSection? {
        guard let without else { return nil }
        return FigureSection(
            id: "suspects", title: "Without suspects",
            text:
                "An audit of the corpus found \(NumberText.count(without.pairs)) "
                + "\(without.pairs == 1 ? "pair" : "pairs") of recordings that may share audio. No one has judged them yet. "
                + "\(NumberText.count(without.trialsLeftOut)) of \(NumberText.count(model.trials.count)) trials are cut "
                + "from such a passage, or have the other recording of the pair as their answer.",
            tables: [
                FigureTable(
                    "With all trials and without suspect ones; 95 % intervals as above.",
                    label: "Figures with and without suspects",
                    columns: ["Figure", "All trials", "Without suspects"],
                    rows: WithoutSuspects.figures.compactMap { name, figure in
                        guard figure(model.overall).trials > 0 else { return nil }
                        return [name]
                            + [model.overall, without.score].map(figure).map {
                                "\(NumberText.rate($0)) (\(NumberText.interval($0)))"
                            }
                    })
            ])
    }
}

extension SuspectPanel {
    private static func json(_ figures: WithoutSuspects) -> JSONObject {
        [
            "pairs": figures.pairs, "trialsLeftOut": figures.trialsLeftOut,
            "figures": SummaryJSON.figures(figures.score),
        ]
    }
}

extension ReportModel {
    /// The figures without suspect trials; nil without a list of suspects.
    package var withoutSuspects: WithoutSuspects? { panel(SuspectPanel.self)?.without }
}
