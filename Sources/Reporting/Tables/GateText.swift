import Evaluation

/// The findings of a gate for a terminal, a job summary, a test reporter and a pull request.
package struct GateText {
    private let report: GateReport

    package init(_ report: GateReport) { self.report = report }

    /// All findings.
    package func json() throws -> String { try JSONText.pretty(report) }

    private static let mostLines = 12
    private static let mostAnnotations = 5

    /// Lines for a terminal: the verdict with its counts, then what did not pass, the gravest first.
    ///
    /// Inconclusive findings are one line, notes follow.
    /// - Parameter columns: Longer lines are folded; nil folds none.
    package func plain(columns: Int? = nil) -> String {
        let lines = [GateVerdict.fail, .improved].flatMap { verdict in
            report.findings.filter { $0.verdict == verdict }
                .map { "  \(verdict.rawValue)  \($0.rule): \($0.scope): \($0.reason)" }
        }
        let more = lines.count - Self.mostLines
        let all =
            [headline] + lines.prefix(Self.mostLines)
            + (more > 0 ? ["  and \(more.text("more finding")); --json FILE has all"] : []) + tooFewTrials
            + report.notes.map { "  \($0)" }
        return TableText.joined(all.flatMap { TableText.folded($0, columns: columns) })
    }

    private var tooFewTrials: [String] {
        let findings = report.findings.filter { $0.verdict == .inconclusive }
        guard findings.count > 1 else {
            return findings.map { "  inconclusive  \($0.rule): \($0.scope): \($0.reason)" }
        }
        let rules = findings.grouped(by: \.rule).map { rule, findings in
            findings.count == 1 ? rule : "\(rule) (\(findings.count.text) sets)"
        }
        let needed = findings.compactMap(\.trialsNeeded).max().map {
            "; up to \($0.text("trial")) a set would do"
        }
        return ["  inconclusive  too few trials to tell\(needed ?? ""): \(rules.joined(separator: ", "))"]
    }

    /// Markdown for a job summary: a table of what did not pass, then folded what passed for all trials, and the notes.
    package var markdown: String {
        var lines = [Markdown.heading(3, headline), ""]
        lines.append(
            Markdown.escaped(
                "\(report.run.matcher) \(report.run.version) on \(report.run.corpus), plan \(report.run.plan)"
                    + (report.baseline.map { baseline in
                        ", against \(baseline.matcher) \(baseline.version)"
                            // A folder without version control has none.
                            + (baseline.commit == "none" ? "" : " of commit \(baseline.commit)")
                    } ?? "")))
        let notable = report.findings.filter(\.isNotable)
        let passed = notable.filter { $0.verdict == .pass }
        let others = notable.filter { $0.verdict != .pass }
        if !others.isEmpty { lines += [""] + Self.table(others) }
        if !passed.isEmpty {
            lines += Self.folded("Rules that hold for all trials: \(passed.count.text)", Self.table(passed))
        }
        if !report.notes.isEmpty {
            lines += Self.folded(
                "What these queries cannot tell, and other notes: \(report.notes.count.text)",
                report.notes.map { "- " + Markdown.escaped($0) })
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func table(_ findings: [GateFinding]) -> [String] {
        let rows = findings.map { [$0.verdict.rawValue, $0.rule, $0.scope, $0.reason] }
        return Markdown.table(["verdict", "rule", "trials", "finding"], rows, isOfFigures: false)
    }

    /// Lines that a reader opens by their title.
    private static func folded(_ title: String, _ lines: [String]) -> [String] {
        ["", "<details><summary>\(title)</summary>", ""] + lines + ["", "</details>"]
    }

    /// JUnit XML: a suite for each rule, a case for each set of trials; too few trials are a skipped case.
    package var junit: String {
        let rules = report.findings.reduce(into: [(name: String, findings: [GateFinding])]()) {
            rules, finding in
            if rules.last?.name == finding.rule {
                rules[rules.count - 1].findings.append(finding)
            } else {
                rules.append((finding.rule, [finding]))
            }
        }
        let suites = rules.map { rule in
            let cases = rule.findings.map { finding in
                let name = "name=\"\(XML.escaped(finding.scope))\" classname=\"\(XML.escaped(finding.rule))\""
                let reason = XML.escaped(finding.reason)
                let body =
                    switch finding.verdict {
                    case .fail: "<failure message=\"\(reason)\" type=\"regression\"/>"
                    case .inconclusive: "<skipped message=\"\(reason)\"/>"
                    case .improved, .pass: "<system-out>\(reason)</system-out>"
                    }
                return "    <testcase \(name)>\(body)</testcase>\n"
            }
            return
                "  <testsuite name=\"\(XML.escaped(rule.name))\" \(counts(rule.findings))>\n\(cases.joined())  </testsuite>\n"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="gate" \(counts(report.findings))>
            \(suites.joined())</testsuites>

            """
    }

    /// Workflow commands of GitHub Actions, each at the rule's line; the five gravest.
    ///
    /// A fail is an error, too few trials are a warning, and an improvement is a notice.
    package var annotations: String {
        let grave = GateVerdict.allCases.flatMap { verdict in report.findings.filter { $0.verdict == verdict }
        }
        return grave.filter { $0.verdict != .pass }.prefix(Self.mostAnnotations).compactMap { finding in
            let level: String
            switch finding.verdict {
            case .fail: level = "error"
            case .inconclusive: level = "warning"
            case .improved: level = "notice"
            case .pass: return nil
            }
            // A runner shows files of the repository, by their paths in it.
            let file =
                report.rules.hasPrefix("/")
                ? "" : "file=\(WorkflowCommand.property(report.rules)),line=\(finding.line),"
            let title = "title=\(WorkflowCommand.property("\(finding.rule): \(finding.scope)"))"
            return "::\(level) \(file)\(title)::\(WorkflowCommand.message(finding.reason))\n"
        }.joined()
    }

    private var headline: String {
        let missing =
            report.baseline == nil
            ? ". Nothing was compared: there is no baseline"
            : report.isOfItself == true ? ". Nothing was compared: the baseline is this run" : ""
        let warning = report.warning.map { ". \($0)" } ?? ""
        return "gate: \(report.verdict.rawValue) (\(report.counts))\(missing)\(warning)"
    }

    private func counts(_ findings: [GateFinding]) -> String {
        let failures = findings.count { $0.verdict == .fail }
        let skipped = findings.count { $0.verdict == .inconclusive }
        return "tests=\"\(findings.count)\" failures=\"\(failures)\" errors=\"0\" skipped=\"\(skipped)\""
    }
}

extension GateReport {
    /// The number of findings of each verdict, as `1 fail, 12 pass`.
    var counts: String {
        GateVerdict.allCases.filter { count($0) > 0 }.map { "\(count($0)) \($0.rawValue)" }.joined(
            separator: ", ")
    }
}
