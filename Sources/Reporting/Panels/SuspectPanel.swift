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

    var terminal: TerminalPart {
        guard let without else { return TerminalPart() }
        let head = ["Without suspects", "\(without.trialsLeftOut.text) trials left out", "", ""]
        let rows = WithoutSuspects.figures.map { name, figure in
            let rate = figure(without.score)
            return ["  " + name, rate.text, rate.range, rate.counts]
        }
        return TerminalPart(kind: .latency, rows: [head] + rows)
    }

    func section(_ model: ReportModel) -> FigureSection? {
        guard let without else { return nil }
        return FigureSection(
            id: "suspects", title: "Without suspects",
            text: "An audit of the corpus found \(without.pairs.text) "
                + "\(without.pairs == 1 ? "pair" : "pairs") of recordings that may share audio. "
                + "Nobody has judged these pairs yet. "
                + "\(without.trialsLeftOut.text) of \(model.trials.count.text) trials are cut "
                + "from such a passage, or have the other recording of the pair as their answer.",
            tables: [
                FigureTable(
                    "With all trials and without suspect ones; 95 % intervals as above.",
                    label: "Figures with and without suspects",
                    columns: ["Figure", "All trials", "Without suspects"],
                    rows: WithoutSuspects.figures.compactMap { name, rate in
                        let rates = [model.overall, without.score].map(rate)
                        return rates[0].trials > 0 ? [name] + rates.map(\.textWithRange) : nil
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
