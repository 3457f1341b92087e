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

    /// Opens the corpus and chooses the queries.
    func open() throws -> (plan: FrontierPlan, material: CorpusMaterial) {
        let library = try CorpusLibrary.standard(corpora)
        var file = try FrontierFile(path: library.planPath(plan))
        try file.override(corpus: corpus, queries: queries, axes: axis.isEmpty ? nil : axis)
        let corpus = try Corpus.open(named: file.corpus, in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        return (
            try FrontierPlan(file: file, corpus: corpus, material: material, half: half, seed: seed), material
        )
    }

    /// The options as one would type them, to choose the same queries again.
    var commandLine: String {
        var words = ["--plan", ShellWord.quoted(plan)]
        if let corpus { words += ["--corpus", ShellWord.quoted(corpus)] }
        if let half { words += ["--half", half.rawValue] }
        if let seed { words += ["--seed", String(seed)] }
        if let queries { words += ["--queries", String(queries)] }
        for name in axis { words += ["--axis", ShellWord.quoted(name)] }
        return words.joined(separator: " ")
    }
}
