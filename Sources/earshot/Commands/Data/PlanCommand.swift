import ArgumentParser
import Corpora
import Evaluation
import Foundation

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "List plans", subcommands: [List.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the plans, with the size and the purpose of each",
            discussion: """
                Minutes are those of the built-in matcher on this machine, as an estimate. Plans without a number are for \
                `streams`, `passages`, `intros` or `frontier`. Columns are aligned on a terminal and separated by tabs \
                elsewhere.
                """)

        @OptionGroup var recipes: RecipeOptions
        @OptionGroup var form: TableOptions

        func run() throws {
            let library = try recipes.library()
            let processors = ProcessInfo.processInfo.activeProcessorCount
            let rows = try library.planNames().map { name in
                let plan = try PlanSummary(named: name, in: library)
                let minutes = plan.queries.map { PlanSummary.minutes(forQueries: $0, processors: processors) }
                return [
                    name, plan.corpus ?? "", plan.conditions.map(String.init) ?? "",
                    plan.queries.map(String.init) ?? "", minutes.map(MinutesText.of) ?? "", plan.purpose,
                ]
            }
            try form.print(
                ["plan", "corpus", "conditions", "queries", "minutes", "purpose"], rows,
                flushRight: [2, 3, 4])
        }
    }
}
