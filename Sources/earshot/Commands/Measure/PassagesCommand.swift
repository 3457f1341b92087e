import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct PassagesCommand: ParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "passages",
        abstract: "Measure how well a matcher finds what plays in a long recording, from when to when",
        discussion: """
            Makes a long recording from a corpus: songs, advertisements and jingles among other music and speech. \
            The matcher gets it block by block. Writes CSV tables and passages.html, with the truth above the answers \
            on a time line.

            --make writes the recording, its references and truth.csv for other programs. --answers scores what they \
            found: a table with the columns reference, begin and end in seconds, and score if there is one.
            """)

    @Option(help: "A plan of passages in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan = "passages"
    @OptionGroup var drawn: CorpusOptions
    @Option(help: "The length of the recording in hours, instead of the plan's.")
    var hours: Double?
    @Option(help: "The number of airings, instead of the plan's.")
    var airings: Int?
    @OptionGroup var work: StudyOptions
    @Option(
        help: "Measure nothing: write the recording, its references and truth.csv to this folder.",
        completion: .directory)
    var make: String?

    var decoding: SandboxOptions { work.decoding }

    func validate() throws {
        try require("--hours", hours, atMost: 1000)
        try require("--airings", airings, in: 1...1_000_000)
    }

    func run() throws {
        let request = RunRequest(
            plan: plan, corpus: drawn.corpus, half: drawn.half, seed: drawn.seed,
            recipeFolder: drawn.recipes.corpora, matcher: work.choice.request)
        let (plan, opened) = try request.openPassages(
            in: drawn.recipes.library(), hours: hours, airings: airings)
        if let make {
            try opened.corpus.requireOutside(make)
            StandardError.print("seed \(plan.seed)")
            try FileManager.default.createDirectory(atPath: make, withIntermediateDirectories: true)
            let recording = try PassageRecording(
                plan: plan, corpus: opened.corpus, material: opened.material, folder: make)
            return try StandardOutput.print(
                PassageExport(folder: make).write(recording, progress: ProgressDisplay().show(_:done:of:)))
        }
    }
}
