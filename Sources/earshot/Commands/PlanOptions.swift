import ArgumentParser
import Evaluation
import Foundation

/// The options that choose a plan and what it is run on.
struct PlanOptions: ParsableArguments {
    @Option(help: "A plan's name in Corpora/Plans, or the path of a YAML file.")
    var plan = "standard"

    @Option(help: "Take this corpus instead of the plan's.")
    var corpus: String?

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

    /// Opens the corpus and expands the plan; where the options name no half, `half` stands for the plan's.
    func open(half standard: CorpusHalf? = nil) throws -> (
        plan: Plan, material: CorpusMaterial, library: CorpusLibrary
    ) {
        let library = try CorpusLibrary(recipeFolder: corpora)
        var file = try PlanFile(path: library.planPath(plan))
        try file.override(
            corpus: corpus, positives: positives, negatives: negatives,
            negativeFolds: negativeFolds.map { NegativeFolds(count: $0) })
        file.startShiftFrames = startShift ?? 0
        let corpus = try Corpus.open(named: file.corpus, in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let plan = try Plan(
            file: file, corpus: corpus, material: material, half: half ?? standard, seed: seed)
        return (plan, material, library)
    }

    /// The options as one would type them, to make the same plan again.
    var commandLine: String {
        var words = ["--plan", ShellWord.quoted(plan)]
        if let corpus { words += ["--corpus", ShellWord.quoted(corpus)] }
        if let half { words += ["--half", half.rawValue] }
        if let seed { words += ["--seed", String(seed)] }
        if let positives { words += ["--positives", String(positives)] }
        if let negatives { words += ["--negatives", String(negatives)] }
        if let startShift { words += ["--start-shift", String(startShift)] }
        if let negativeFolds { words += ["--negative-folds", String(negativeFolds)] }
        if let corpora { words += ["--corpora", ShellWord.quoted(corpora)] }
        return words.joined(separator: " ")
    }
}

extension CorpusHalf: ExpressibleByArgument {}
