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

    /// Opens the corpus and expands the plan; where the options name no half, `half` stands for the plan's.
    func open(half standard: CorpusHalf? = nil) throws -> (
        plan: Plan, material: CorpusMaterial, library: CorpusLibrary
    ) {
        let library = try CorpusLibrary.standard(corpora)
        if let plan = try recorded.plan(seed: seed, library: library) {
            for warning in plan.warnings { StandardError.print("\(plan.corpus.name): \(warning)") }
            return (plan, try CorpusMaterial(library: library, music: nil), library)
        }
        var file = try PlanFile(path: library.planPath(plan))
        let corpus = try Corpus.open(named: own.corpus ?? corpus ?? file.corpus, in: library)
        try file.override(
            corpus: corpus.name, positives: positives, negatives: negatives,
            negativeFolds: negativeFolds.map { NegativeFolds(count: $0) })
        file.startShiftFrames = startShift ?? 0
        let material = try CorpusMaterial(library: library, music: corpus)
        let plan = try Plan(
            file: file, corpus: corpus, material: material, half: half ?? standard, seed: seed)
        for warning in plan.warnings { StandardError.print("\(corpus.name): \(warning)") }
        return (plan, material, library)
    }

    /// The options as one would type them, to make the same plan again.
    var commandLine: String {
        var words = recorded.queries == nil ? ["--plan", ShellWord.quoted(plan)] : recorded.words
        if let corpus { words += ["--corpus", ShellWord.quoted(corpus)] }
        words += own.words
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
