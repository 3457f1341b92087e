import ArgumentParser
import Corpora
import Reporting

struct DegradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "degrade",
        abstract: "Write degraded queries, and a table of their truth, to a folder",
        discussion: """
            Cuts queries from the given files. Without files, writes the queries of --plan, or only the query of --trial. \
            For example:

              earshot degrade song.ogg --chain '[{noise: {colour: pink, snrDecibels: 0}}, {speed: {percent: 2}}]' \
            --output queries

            Queries are 32-bit float WAV files. The truth is in truth.csv for `evaluate --queries`, in mirex-truth.txt for \
            MIREX, and in annotations.csv for Pexeso's toolkit. With --plan, references.txt lists the references.
            """)

    @Argument(help: "Audio files or folders to cut queries from.")
    var inputs: [String] = []
    @OptionGroup(title: "Queries of a plan") var options: PlanOptions
    @Option(help: "Write only this trial of the plan.")
    var trial: String?
    @Option(help: "The length of queries cut from files, in seconds.")
    var length = 5.0
    @Option(help: "The number of queries to cut from each file.")
    var count = 1
    @OptionGroup var search: FolderSearchOptions
    @OptionGroup var target: FolderOptions

    func validate() throws {
        try require("--length", length, in: 0.05...3600, unit: "seconds")
        try require("--count", count, in: 1...100_000)
        let cutting = ["--length", "--count", "--verbose"]
        if inputs.isEmpty {
            return try refuse(cutting, "without recordings", remedy: "Name files to cut queries from")
        }
        try allow(
            only: cutting + DegradationOptions.names + ["--chain", "--seed", "--corpora", "--output"],
            "on cuts from files")
    }

    func run() throws {
        try StandardOutput.print(inputs.isEmpty ? writePlan() : writeCuts())
    }

    private func writePlan() throws -> String {
        let (request, library) = try options.started()
        let opened = try request.open(noting: library)
        try opened.plan.corpus.requireOutside(target.output)
        return try QueryExport.write(opened, trial: trial, to: target.output, note: StandardError.print)
    }

    private func writeCuts() throws -> String {
        let (request, library) = try options.started()
        let cuts = QueryExport.Cuts(
            chain: try request.cutChain(), lengthSeconds: length, count: count, seed: options.seed ?? 1)
        return try QueryExport.write(
            cuts, of: inputs, in: library, to: target.output, note: StandardError.print,
            leavingOut: search.note)
    }
}
