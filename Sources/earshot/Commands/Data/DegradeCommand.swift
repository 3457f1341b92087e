import ArgumentParser
import Corpora
import Reporting

struct DegradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "degrade",
        abstract: "Write degraded queries and a table of their truth to a folder",
        discussion: """
            With --plan, writes the queries of a plan, or the one of --trial. Without, cuts queries from the given \
            files, for example:

              earshot degrade song.ogg --chain '[{noise: {colour: pink, snrDecibels: 0}}, {speed: {percent: 2}}]' \
            --output queries

            Queries are 32-bit float WAV files. Their truth is in truth.csv for `evaluate --queries`, in \
            mirex-truth.txt for MIREX and in annotations.csv for Pexeso's toolkit. The file references.txt lists the \
            references that a plan enrols.
            """)

    @Argument(help: "Recordings, or folders of them, to cut queries from.")
    var inputs: [String] = []
    @OptionGroup(title: "Queries of a plan") var options: PlanOptions
    @Option(help: "Write only this trial of the plan.")
    var trial: String?
    @Option(help: "The chain for cuts from files, as a YAML list.")
    var chain = "[]"
    @Option(help: "The length of cuts from files, in seconds.")
    var length = 5.0
    @Option(help: "How many queries to cut from each file.")
    var count = 1
    @OptionGroup var search: FolderSearchOptions
    @OptionGroup var target: FolderOptions

    func validate() throws {
        try require("--length", length, in: 0.05...3600, unit: "seconds")
        try require("--count", count, in: 1...100_000)
        try reject(if: trial != nil && !inputs.isEmpty, "--trial belongs to a plan; files were given too")
    }

    func run() throws {
        try StandardOutput.print(inputs.isEmpty ? writePlan() : writeCuts())
    }

    private func writePlan() throws -> String {
        let opened = try options.request().open()
        try opened.plan.corpus.requireOutside(target.output)
        return try QueryExport.write(opened, trial: trial, to: target.output, note: StandardError.print)
    }

    private func writeCuts() throws -> String {
        let cuts = QueryExport.Cuts(
            chain: chain, lengthSeconds: length, count: count, seed: options.seed ?? 1)
        let library = try CorpusLibrary(recipeFolder: options.recipes.corpora)
        StandardError.print("seed \(cuts.seed)")
        return try QueryExport.write(
            cuts, of: inputs, in: library, to: target.output, leavingOut: search.note)
    }
}
