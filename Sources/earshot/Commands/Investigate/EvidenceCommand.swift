import ArgumentParser
import Evaluation
import MatcherAdapters
import Reporting
import SystemIO

struct EvidenceCommand: ParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Write what the matcher measured of each place that it examined",
        discussion: """
            Asks the queries of a plan, and writes a row for each measurement of each place as CSV, with what is true of the \
            place. Weights can be fitted to them. Only a matcher that states its evidence can be asked; the built-in one \
            does. For example:

              earshot evidence --plan tuning --csv tuning.csv
            """)

    @OptionGroup var options: PlanOptions
    @OptionGroup var choice: MatcherOptions
    @OptionGroup var threads: ThreadOptions
    @OptionGroup var decoding: SandboxOptions
    @Option(help: .writes("the rows as CSV"))
    var csv: String = "-"

    func run() throws {
        let (request, library) = try options.started(choice.request())
        let opened = try request.open(noting: library)
        let plan = opened.plan
        let contestant = try request.matcher.contestant()
        guard let examination = try contestant.make().powers.examination else {
            throw ValidationError("the matcher \(contestant.name) does not state its evidence")
        }
        let matcher = try RunFacts.Contestant(contestant)
        StandardError.print("seed \(plan.seed), \(plan.trials.count.counting("trial"))")
        let table = EvidenceTable(
            half: plan.recorded == nil ? plan.half : nil, matcher: "\(matcher.name) \(matcher.version)")
        let run = EvaluationRun(
            plan: plan, material: opened.material, contestant: contestant, jobs: threads.count, folder: ".",
            progress: ProgressDisplay().show)
        let rows = try run.evidence(table.csv)
        try StandardOutput.write(EvidenceTable.head(examination.values) + rows.joined(), to: csv)
    }
}
