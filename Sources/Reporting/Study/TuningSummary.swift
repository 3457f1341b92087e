import Metrics
import Studies

/// What a search found, as a few lines for a terminal.
package enum TuningSummary {
    /// The start and the best on the half that was searched, and the look at the other half.
    package static func text(_ result: TuningResult) -> String {
        var lines: [String] = []
        for (name, candidate) in [("start", result.candidates.first), ("best", result.best)] {
            guard let objectives = candidate?.rungs.last else { continue }
            lines.append(
                "\(name), \(result.half.rawValue) half: recall at 0 false accepts "
                    + "\(percent(objectives.recallAtZeroFalseAccepts)), "
                    + "\(NumberText.fixed(objectives.medianMilliseconds, digits: 1)) ms a query")
        }
        if let heldOut = result.heldOut { lines.append(text(heldOut)) }
        return lines.joined(separator: "\n")
    }

    /// The look at a held-out half.
    package static func text(_ check: HeldOutCheck) -> String {
        var lines = [
            "best, \(check.half.rawValue) half, held out: recall at 0 false accepts "
                + percent(check.chosen.recallAtZeroFalseAccepts)
        ]
        for (name, one) in [("start", check.againstStart), ("standard settings", check.againstStandard)] {
            let interval = one.lower.flatMap { lower in
                one.upper.map { " (\(NumberText.points(Interval(lower: lower, upper: $0))))" }
            }
            lines.append(
                "  against the \(name), \(percent(one.other.recallAtZeroFalseAccepts)): "
                    + "\(NumberText.points(one.difference)) points\(interval ?? ""), "
                    + "p \(NumberText.probability(one.probability))"
                    + (one.isSignificantlyWorse ? ", significantly worse" : ""))
        }
        lines.append("  look number \(check.look) at this half")
        return lines.joined(separator: "\n")
    }

    private static func percent(_ share: Double) -> String { "\(NumberText.fixed(100 * share, digits: 1)) %" }
}
