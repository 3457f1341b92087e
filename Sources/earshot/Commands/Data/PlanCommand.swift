import ArgumentParser
import Corpora
import Evaluation

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "List plans", subcommands: [List.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the plans, with the corpus and the number of conditions of each",
            discussion: "The columns are aligned on a terminal and separated by tabs elsewhere.")

        @OptionGroup var recipes: RecipeOptions
        @OptionGroup var form: TableOptions

        func run() throws {
            let library = try recipes.library()
            // A plan of another kind, as of streams, has other keys and is listed without them.
            let rows = library.planNames().map { name in
                let plan = try? PlanFile(path: library.planPath(name))
                let conditions = plan.map { "\($0.families.reduce(0) { $0 + $1.members.count })" }
                return [name, plan?.corpus ?? "", conditions ?? ""]
            }
            try form.print(["plan", "corpus", "conditions"], rows, flushRight: [2])
        }
    }
}
