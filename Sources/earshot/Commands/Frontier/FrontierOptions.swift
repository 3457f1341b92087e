import ArgumentParser
import Corpora
import Evaluation
import Foundation
import Studies

/// The options that choose a plan of axes and what it is searched on.
struct FrontierOptions: ParsableArguments {
    @Option(help: "A plan of axes in Corpora/Plans, or the path of a YAML file.")
    var plan = "frontier"

    @Option(help: "Take this corpus instead of the plan's.")
    var corpus: String?

    @Option(help: "Cut queries from the 'test' or the 'tuning' half instead of the plan's.")
    var half: CorpusHalf?

    @Option(help: "Draw everything from this seed instead of the plan's.")
    var seed: UInt64?

    @Option(help: "How many queries, instead of the plan's number.")
    var queries: Int?

    @Option(help: "Search along this axis of the plan only; may be repeated.")
    var axis: [String] = []

    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?

    func validate() throws {
        if let queries, !FrontierFile.queryCounts.contains(queries) {
            throw ValidationError("--queries \(queries) is not in \(FrontierFile.queryCounts)")
        }
    }

    func request(_ matcher: MatcherRequest) -> RunRequest {
        RunRequest(
            plan: plan, corpus: corpus, half: half, seed: seed, queries: queries, axes: axis,
            recipeFolder: corpora, matcher: matcher)
    }
}
