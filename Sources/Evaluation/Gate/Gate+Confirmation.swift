extension Gate {
    /// Judges again what failed, on a run of other queries of the same plan.
    ///
    /// What fails there too stays a fail, and so does what cannot be tested there. Everything else passes. Only findings
    /// that chance could give are judged again.
    ///
    /// - Parameters:
    ///   - report: The findings of `judge`.
    ///   - run: Another seed, of the same build and plan.
    ///   - baseline: That of the other seed.
    /// - Throws: ``GateError`` if the run is of another plan or build, or of the same queries.
    public func confirm(_ report: GateReport, by run: ScoredRun, baseline: Baseline) throws -> GateReport {
        let (first, second) = (report.run, run.identity)
        let parts = [
            ("plan", first.plan, second.plan), ("matcher", first.matcher, second.matcher),
            ("version", first.version, second.version),
        ]
        if let other = parts.first(where: { $0.1 != $0.2 }) {
            throw GateError(
                "the confirming run is of another \(other.0), \(other.2) instead of \(other.1); "
                    + "evaluate the same build and plan with another --seed")
        }
        if first.panelDigest == second.panelDigest {
            throw GateError("the confirming run has the same queries; evaluate with another --seed")
        }
        let uncertain = Set(rules.rules.filter(\.canFailByChance).map(\.line))
        let failed = report.findings.filter { $0.verdict == .fail && uncertain.contains($0.line) }
        if failed.isEmpty { return report }
        let again = try judge(run, baseline: baseline, only: failed).findings
        var confirmed = report
        for (index, finding) in report.findings.enumerated() where failed.contains(finding) {
            let second = again.first { $0.line == finding.line && $0.scope == finding.scope }
            confirmed.findings[index].reason +=
                second.map { "; on queries of seed \(run.identity.seed): \($0.reason)" }
                ?? "; not tested on queries of seed \(run.identity.seed)"
            if let second, second.verdict != .fail { confirmed.findings[index].verdict = .pass }
        }
        return confirmed
    }
}

extension GateRule {
    /// Whether chance can break it; a hard limit and other answers are facts.
    fileprivate var canFailByChance: Bool {
        switch condition {
        case .atLeast(_, let isHard), .atMost(_, let isHard): !isHard
        case .noLossBeyond, .mayGrowBy: true
        case .answers: false
        }
    }
}
