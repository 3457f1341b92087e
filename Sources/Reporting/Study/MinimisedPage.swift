import Evaluation
import Metrics
import Studies

/// `minimised.html`: the least that breaks each trial, as one page that opens without a network.
enum MinimisedPage {
    static func html(_ cases: [MinimisedCase], facts: RunFacts) throws -> String {
        try PageTemplate(parts: [("minimised", PackageResources.minimised_mustache)])
            .render(MinimisedContent(cases, facts: facts))
    }
}

/// Everything the template names.
struct MinimisedContent {
    /// Cases of which the same steps remain.
    struct Kind {
        let name: String
        let count: String
        let wrong: String
        let length: String
    }

    /// One case.
    struct Case {
        let trial: String
        let before: String
        let after: String
        let outcome: String
        let kind: String
        let expected: String
        let answer: String
        let score: Figure
        let command: String
        let steps: [StepLess]
        let hasSteps: Bool
        let stepCount: String
    }

    /// One step less.
    struct StepLess {
        let change: String
        let verdict: String
        let command: String
    }

    let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    let title: String
    let matcher: String
    let run: String
    let verdict: String
    let kinds: [Kind]
    let cases: [Case]
    let provenance: [ProvenanceRow]

    init(_ all: [MinimisedCase], facts: RunFacts) {
        matcher = "\(facts.matcher.name) \(facts.matcher.version)"
        title = "What breaks \(matcher)"
        run = "\(facts.planName) on \(facts.corpusName), \(facts.half) half"
        let steps = all.reduce(0) { $0 + $1.stepsLess.count }
        let void = all.reduce(0) { $0 + $1.stepsLess.count { $0.verdict == .void } }
        verdict =
            "\(NumberText.count(all.count)) failing trials, each brought down to the least that still fails. "
            + "None of \(NumberText.count(steps)) ways to make one of them easier by one step fails"
            + (void == 0 ? "." : "; \(NumberText.count(void)) of these cannot be made.")
        kinds = MinimisedSummary.kinds(all).map { kind, cases in
            let lengths = cases.map(\.minimal.lengthSeconds).sorted()
            return Kind(
                name: kind, count: NumberText.count(cases.count),
                wrong: NumberText.count(cases.count { $0.outcome == "wrongReference" }),
                length: NumberText.length(lengths[lengths.count / 2]))
        }
        cases = all.map(Self.content)
        provenance = ProvenanceRow.all(facts)
    }

    private static func content(_ one: MinimisedCase) -> Case {
        Case(
            trial: one.trialID, before: words(one.original), after: words(one.minimal),
            outcome: Outcome(rawValue: one.outcome).map(OutcomeContent.name) ?? one.outcome,
            kind: one.outcome,
            expected: one.expected.isEmpty ? "no reference" : one.expected.joined(separator: ", "),
            answer: one.answer ?? "none", score: Figure(one.score) { NumberText.fixed($0, digits: 1) },
            command: MinimisedTables.command(one.arguments),
            steps: one.stepsLess.map { step in
                StepLess(
                    change: step.change, verdict: word(step.verdict),
                    command: MinimisedTables.command(step.arguments))
            }, hasSteps: !one.stepsLess.isEmpty, stepCount: NumberText.count(one.stepsLess.count))
    }

    /// Length and steps without the seeds of their chance.
    private static func words(_ cut: DegradedCut) -> String {
        let steps = ChainSteps(json: cut.chain.json).steps.map { step in
            let parameters = step.parameters.filter { $0.key != "seed" }.sorted { $0.key < $1.key }
                .map { "\($0.key) \($0.value)" }
            return parameters.isEmpty ? step.name : "\(step.name) (\(parameters.joined(separator: ", ")))"
        }
        return ([NumberText.length(cut.lengthSeconds)] + (steps.isEmpty ? ["nothing done"] : steps))
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
