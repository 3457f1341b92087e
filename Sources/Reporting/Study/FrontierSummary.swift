import Studies

/// Where queries are lost, as a table for a terminal.
package enum FrontierSummary {
    /// One line for each axis: the severities by which a tenth, half and nine tenths of the queries are lost.
    package static func text(_ result: FrontierResult) -> String {
        var rows = [["axis", "10 % lost", "50 % lost", "90 % lost", "never", "always", "holes"]]
        for axis in distributions(result) {
            rows.append(
                [axis.axis.name] + axis.quantiles.map { axis.label($0.rung) }
                    + [axis.count(.neverLost), axis.count(.alwaysLost), axis.holes].map(String.init))
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
                .joined(separator: "  ")
        }
        return
            (lines + [
                "\(NumberText.count(result.runs)) runs of the matcher; every query at every step would be "
                    + NumberText.count(result.gridRuns)
            ]).joined(separator: "\n")
    }

    static func distributions(_ result: FrontierResult) -> [AxisDistribution] {
        result.axes.enumerated().map { number, axis in
            AxisDistribution(axis: axis, limits: result.limits(axis: number), seed: result.facts.seed)
        }
    }
}
