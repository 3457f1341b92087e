// SPDX-License-Identifier: GPL-3.0-or-later
import Degradations
import Evaluation
import Metrics
import Studies

/// The least degradation that still makes each failed trial fail.
package struct MinimisedReport: Report {
    private let cases: [MinimisedCase]
    private let facts: RunFacts
    private let words: @Sendable (DegradedQuery, RunRequest) -> [String]

    /// - Parameters:
    ///   - facts: the run in which the trials failed.
    ///   - command: the words of the command that makes a query of a run again.
    package init(
        _ cases: [MinimisedCase], facts: RunFacts,
        command words: @escaping @Sendable (DegradedQuery, RunRequest) -> [String]
    ) {
        self.cases = cases
        self.facts = facts
        self.words = words
    }

    package func files(charts: ChartLibrary?) -> [ReportFile] {
        [
            ReportFile("minimised.csv", csv), ReportFile("commands.tsv", commands),
            ReportFile("minimised.html", try page.html(charts: charts)),
        ]
    }

    /// The steps that remain, most frequent first, as lines for a terminal.
    package var summary: String {
        ([verdict] + kinds.map { "  \($0.cases.count)  \($0.name)" }).joined(separator: "\n")
    }

    /// The result of a check of the stored commands, as lines for a terminal.
    package static func summary(of check: MinimisedCheck) -> String {
        ([
            "\(check.failing) of \(check.cases) cases fail when their command runs again",
            "\(check.holding) of \(check.stepsLess) cases that are one step easier do not fail",
        ] + check.differences.map { "differs: \($0)" }).joined(separator: "\n")
    }

    private var verdict: String {
        let steps = cases.flatMap(\.stepsLess)
        let void = steps.count { $0.verdict == .void }
        return "\(cases.count.text("failed trial")), minimised. "
            + "\(steps.count.text("query is", "queries are")) one step easier, and none fails"
            + (void == 0 ? "." : "; \(void.text) of these cannot be made.")
    }

    /// Cases by the steps that remain, the most frequent kind first.
    private var kinds: [(name: String, cases: [MinimisedCase])] {
        Dictionary(grouping: cases) { one in
            let names = one.minimal.chain.steps.map(\.name)
            return names.isEmpty ? "no step: the clean query" : names.joined(separator: " + ")
        }.map { (name: $0.key, cases: $0.value) }
            .sorted { ($1.cases.count, $0.name) < ($0.cases.count, $1.name) }
    }

    private var csv: String {
        Table<MinimisedCase>([
            .init("trial", text: \.trialID),
            .init("track", text: \.original.track),
            .init("startSeconds", number: \.original.startSeconds),
            .init("originalOutcome", text: \.originalOutcome),
            .init("originalLengthSeconds", number: \.original.lengthSeconds),
            .init("originalChain", text: \.original.chain.json),
            .init("outcome", text: \.outcome),
            .init("lengthSeconds", number: \.minimal.lengthSeconds),
            .init("chain", text: \.minimal.chain.json),
            .init("answer", text: \.answer),
            .init("score", number: \.score),
            .init("stepsLess", count: \.stepsLess.count),
            .init("stepsLessFailing", count: { $0.stepsLess.count { $0.verdict == .fails } }),
            .init("stepsLessVoid", count: { $0.stepsLess.count { $0.verdict == .void } }),
            .init("runs", count: \.runs),
            .init("command", text: { command($0.minimal, $0.request) }),
        ]).csv(cases)
    }

    /// One line for each command: the expected exit code, the trial, the easier step and the command.
    ///
    /// The step is empty for the case itself. A query that cannot be made has exit code 1. Tabs separate fields; no
    /// field holds a tab or a line break.
    private var commands: String {
        func line(_ status: Int, _ trial: String, _ change: String, _ command: String) -> String {
            TabbedText.line([String(status), trial, change, command]) + "\n"
        }
        return cases.flatMap { one in
            [line(2, one.trialID, "", command(one.minimal, one.request))]
                + one.stepsLess.map { step in
                    line(
                        step.verdict == .holds ? 0 : 1, one.trialID, step.change,
                        command(step.cut, one.request))
                }
        }.joined()
    }

    private func command(_ query: DegradedQuery, _ request: RunRequest) -> String {
        words(query, request).map(ShellWord.quoted).joined(separator: " ")
    }

    private var page: FigurePage {
        FigurePage(
            title: "Minimised failures of \(facts.matcher.name) \(facts.matcher.version)", verdict: verdict,
            scope: "\(facts.planName) on \(facts.corpusName), \(facts.half.rawValue) half",
            sections: [
                FigureSection(
                    id: "kinds", title: "What remains",
                    text: "The steps without which a trial does not fail. Several steps fail only together.",
                    tables: [
                        FigureTable(
                            "Cases by the steps that remain",
                            columns: ["Steps", "Cases", "Wrong reference", "Median length"],
                            rows: kinds.map { name, cases in
                                let lengths = cases.map(\.minimal.lengthSeconds).sorted()
                                let wrong = cases.count { $0.outcome == "wrongReference" }
                                return [
                                    name, cases.count.text, wrong.text,
                                    NumberText.length(lengths[lengths.count / 2]),
                                ]
                            })
                    ]),
                FigureSection(
                    id: "cases", title: "Cases",
                    text: "Each command asks the matcher and exits with 2 while the query fails. "
                        + "The commands that are one step easier exit with 0.",
                    entries: cases.map(entry)),
            ], notes: facts.notes, provenance: ProvenanceContent(run: facts),
            files: "minimised.csv holds the cases, commands.tsv all commands with their expected exit codes. "
                + "The provenance is that of the run in which the trials failed.")
    }

    private func entry(_ one: MinimisedCase) -> FigureEntry {
        let outcome = Outcome(rawValue: one.outcome).map(\.title) ?? one.outcome
        let expected = one.expected.isEmpty ? "no reference" : one.expected.joined(separator: ", ")
        let score = NumberText.fixed(one.score, digits: 1)
        return FigureEntry(
            title: one.trialID, lead: Self.words(one.minimal),
            lines: [
                "Before: \(Self.words(one.original))",
                "\(outcome) · expected \(expected) · best answer \(one.answer ?? "none"), score \(score)",
            ]
                + (one.stepsLess.isEmpty
                    ? ["Nothing can be made easier: the clean query fails at full length."] : []),
            command: command(one.minimal, one.request),
            folds: one.stepsLess.isEmpty ? [] : [easier(one)])
    }

    private func easier(_ one: MinimisedCase) -> FigureFold {
        FigureFold(
            summary: "\(one.stepsLess.count.text("way")) to make it one step easier",
            tables: [
                FigureTable(
                    "One step easier", columns: ["Step", "Result", "Command"],
                    styles: [1: "text", 2: "code"],
                    rows: one.stepsLess.map { step in
                        [step.change, Self.word(step.verdict), command(step.cut, one.request)]
                    })
            ])
    }

    /// The length and the steps without their seeds.
    private static func words(_ cut: DegradedQuery) -> String {
        let steps = cut.chain.steps.map { step in
            if let ratio = (step.value as? Speed)?.ratio {
                let percent = NumberText.plain(((ratio - 1) * 1e6).rounded() / 1e4)
                return "\(step.name) \(ratio < 1 ? "" : "+")\(percent)\(NumberText.blank)%"
            }
            let parameters = step.parameterTexts.map {
                "\(NumberText.severity($0.name)) \(NumberText.severity($0.text))"
            }
            return parameters.isEmpty ? step.name : "\(step.name) (\(parameters.joined(separator: ", ")))"
        }
        return ([NumberText.length(cut.lengthSeconds)] + (steps.isEmpty ? ["no step"] : steps))
            .joined(separator: ", ")
    }

    private static func word(_ verdict: Minimiser.Verdict) -> String {
        switch verdict {
        case .fails: "fails"
        case .holds: "does not fail"
        case .void: "cannot be made"
        }
    }
}
