import Studies

/// Minimised cases, as a few lines for a terminal.
package enum MinimisedSummary {
    /// What remains of the failures, most frequent first.
    package static func text(_ cases: [MinimisedCase]) -> String {
        let stepsLess = cases.flatMap(\.stepsLess)
        let unsaid = stepsLess.count { $0.verdict == .void }
        var lines = [
            "\(cases.count) cases; each fails, and none of \(stepsLess.count) ways to make one easier by one step does"
                + (unsaid == 0 ? "" : " (\(unsaid) of them cannot be made)")
        ]
        for (kind, group) in kinds(cases) {
            lines.append("  \(group.count)  \(kind)")
        }
        return lines.joined(separator: "\n")
    }

    /// What a check of their commands found.
    package static func text(_ check: MinimisedCheck.Result) -> String {
        ([
            "\(check.failing) of \(check.cases) cases fail when their command is run again",
            "\(check.holding) of \(check.stepsLess) easier by one step do not fail",
        ] + check.differences.map { "differs: \($0)" }).joined(separator: "\n")
    }

    /// Cases by the kinds of steps that remain, the most frequent kind first.
    static func kinds(_ cases: [MinimisedCase]) -> [(kind: String, cases: [MinimisedCase])] {
        Dictionary(grouping: cases) { one in
            let names = one.minimal.chain.steps.map(\.name)
            return names.isEmpty ? "nothing at all: the cut itself" : names.joined(separator: " + ")
        }.map { (kind: $0.key, cases: $0.value) }
            .sorted { ($1.cases.count, $0.kind) < ($0.cases.count, $1.kind) }
    }
}
