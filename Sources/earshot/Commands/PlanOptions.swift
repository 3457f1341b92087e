import ArgumentParser
import Corpora
import Evaluation
import Foundation

/// The options that choose a plan and what it is run on.
struct PlanOptions: ParsableArguments {
    @Option(help: "A plan's name in Corpora/Plans, or the path of a YAML file.")
    var plan = "standard"

    @Option(help: "Take this corpus instead of the plan's.")
    var corpus: String?

    @OptionGroup var own: FolderOptions

    @OptionGroup var recorded: RecordedOptions

    @Option(help: "Cut positives from the 'test' or the 'tuning' half instead of the plan's.")
    var half: CorpusHalf?

    @Option(help: "Draw everything from this seed instead of the plan's.")
    var seed: UInt64?

    @Option(help: "Positive trials in each cell, instead of the plan's number.")
    var positives: Int?

    @Option(help: "Negative trials in each cell, instead of the plan's number.")
    var negatives: Int?

    @Option(
        help:
            "Cut negatives also from enrolled tracks, in this many folds, each left out of a catalog of its own."
    )
    var negativeFolds: Int?

    @Option(
        help:
            "Move the start of each query by this many frames of its source, the truth with it: the same queries at another phase."
    )
    var startShift: Int?

    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?

    func validate() throws {
        if corpus != nil, own.folder != nil {
            throw ValidationError("--corpus and --folder exclude each other")
        }
        if recorded.queries != nil, corpus != nil || own.folder != nil || positives != nil || negatives != nil
        {
            throw ValidationError(
                "--queries says what is measured: --corpus, --folder, --positives and --negatives exclude it")
        }
        for (name, value) in [("--positives", positives), ("--negatives", negatives)] {
            if let value, !(0...100_000).contains(value) {
                throw ValidationError("\(name) \(value) is not in 0...100000")
            }
        }
        if let startShift, !(-1_000_000...1_000_000).contains(startShift) {
            throw ValidationError("--start-shift \(startShift) is not in -1000000...1000000")
        }
        if let negativeFolds, !NegativeFolds.counts.contains(negativeFolds) {
            throw ValidationError("--negative-folds \(negativeFolds) is not in \(NegativeFolds.counts)")
        }
    }

    /// What the options ask for.
    func request(_ matcher: MatcherRequest = MatcherRequest()) -> RunRequest {
        RunRequest(
            plan: plan, recorded: recorded.recorded, corpus: corpus, folder: own.folder, half: half,
            seed: seed, positives: positives, negatives: negatives, negativeFolds: negativeFolds,
            startShift: startShift, recipeFolder: corpora, matcher: matcher)
    }
}

extension RunRequest {
    /// Opens the plan in the folder of recipes it names, and prints the plan's warnings.
    func open() throws -> OpenedPlan {
        let opened = try open(in: .standard(recipeFolder))
        for warning in opened.plan.warnings {
            StandardError.print("\(opened.plan.corpus.name): \(warning)")
        }
        return opened
    }
}

extension CorpusHalf: ExpressibleByArgument {}
