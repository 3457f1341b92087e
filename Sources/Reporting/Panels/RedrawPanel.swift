// SPDX-License-Identifier: GPL-3.0-or-later
import Evaluation

/// How often starts of queries were drawn again because the clip was too quiet, by query length.
struct RedrawPanel: ReportPanel {
    private let rows: [(lengthSeconds: Double, queries: Int, redraws: Int)]

    init(_ model: ReportModel) {
        rows = model.trials.compactMap(\.record.queryRedraws).grouped(by: \.lengthSeconds).map {
            length, members in
            (length, members.count, members.reduce(0) { $0 + $1.redraws })
        }
    }

    var summary: [JSONObject.Entry] { [("redraws", rows.reduce(0) { $0 + $1.redraws })] }

    func section(_ model: ReportModel) -> FigureSection? {
        guard rows.contains(where: { $0.redraws > 0 }) else { return nil }
        return FigureSection(
            id: "redraws", title: "Redraws",
            text: "Starts that were drawn again because the clip was too quiet.",
            tables: [
                FigureTable(
                    "Redraws by query length", columns: ["Length", "Queries", "Redraws"],
                    rows: rows.map {
                        [
                            NumberText.length($0.lengthSeconds), NumberText.count($0.queries),
                            NumberText.count($0.redraws),
                        ]
                    })
            ])
    }
}

extension TrialRecord {
    fileprivate var queryRedraws: (lengthSeconds: Double, redraws: Int)? {
        query.map { (trial.cell.lengthSeconds, $0.redraws ?? 0) }
    }
}
