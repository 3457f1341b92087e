import Evaluation
import Foundation

/// The losses that rules find, as a table for a terminal.
package struct GatePowerText {
    private let power: GatePower
    private let runs: Int

    /// - Parameter runs: the number of gates in a year.
    package init(_ power: GatePower, runs: Int) {
        self.power = power
        self.runs = runs
    }

    package var plain: String {
        if power.rows.isEmpty { return "No rule judges the loss of a rate." }
        let churns = GatePower.churns.map { "\(Gate.text($0 * 100)) %" }
        let head = ["rule", "sets", "trials"] + churns.map { "churn \($0)" } + ["by chance", "finds"]
        let rows = power.rows.map { row in
            [row.rule, row.sets.text, row.trials.text]
                + row.found.map { $0.map { GatePower.share($0, of: row.trials) } ?? "none" }
                + [row.atRandom, Gate.pointsText(row.finds) + (row.isEnough ? "" : ", too few trials")]
        }
        let aligned = TableText.aligned([head] + rows, flushRight: Set(1...(3 + churns.count)))
        return TableText.joined(
            [
                "The loss of the smallest set that fails in 90 % of runs. Churn: the share of the trials that are lost by"
            ]
                + [
                    "chance, and the same that are won. By chance: the true loss at churn 1 %, if chance decides which are lost."
                ] + aligned + [falseAlarms])
    }

    private var falseAlarms: String {
        func percent(_ share: Double) -> String {
            share < 0.0001 ? "below 0.01 %" : "\(Gate.text(share * 100)) %"
        }
        return
            "False alarms of a build that lost nothing, at churn 1 %: at most \(percent(power.falseAlarm)) of runs, "
            + "\(percent(power.falseAlarm(runs: runs))) in \(runs.text) runs a year. "
            + "With --confirm: at most \(percent(power.falseAlarm * power.falseAlarm)) of runs."
    }
}
