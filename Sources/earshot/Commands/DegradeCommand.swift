import ArgumentParser
import AudioIO
import Corpora
import Evaluation
import Foundation
import Reporting

/// `earshot degrade`: writes degraded queries and their truth to a folder.
struct DegradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "degrade",
        abstract: "Write degraded queries and a table of their truth to a folder.",
        discussion: """
            With --plan: the queries of a plan, or exactly one of them with --trial. Without: cuts from the given \
            files, for example
              earshot degrade song.ogg --chain '[{noise: {colour: pink, snrDecibels: 0}}, {speed: {percent: 2}}]' \
            --output queries
            Queries are 32-bit float WAV files. truth.csv says what is right, as `evaluate --queries` reads it; \
            mirex-truth.txt and annotations.csv say so in the formats of MIREX and of Pexeso's toolkit, and \
            references.txt lists what a plan enrols.
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

    @Option(help: "The folder to write to; it is made if there is none.")
    var output: String

    func validate() throws {
        if !(0.05...3600).contains(length) {
            throw ValidationError("--length \(length) is not in 0.05...3600 seconds")
        }
        if !(1...100_000).contains(count) { throw ValidationError("--count \(count) is not in 1...100000") }
        if trial != nil, !inputs.isEmpty {
            throw ValidationError("--trial belongs to a plan; files were given too")
        }
    }

    func run() throws {
        print(try inputs.isEmpty ? writePlan() : writeCuts())
    }

    private func writePlan() throws -> String {
        let (plan, material, _) = try options.open()
        let corpus = plan.corpus
        try corpus.requireOutside(output)
        var export = try QueryExport(folder: output, corpus: corpus)
        let trials =
            try trial.map { name in
                guard let trial = plan.trial(named: name) else {
                    throw ConfigurationError(
                        file: plan.file.path, line: nil, message: "the plan has no trial called \(name)")
                }
                return [trial]
            } ?? plan.trials
        let tracks = Dictionary(uniqueKeysWithValues: corpus.tracks.map { ($0.id, $0) })
        StandardError.print("seed \(plan.seed), \(trials.count) of \(plan.trials.count) trials")
        for (source, group) in Dictionary(grouping: trials, by: \.source).sorted(by: {
            ($0.key ?? "") < ($1.key ?? "")
        }) {
            // A recorded query is not cut from its source.
            let track = plan.recorded == nil ? source.flatMap { tracks[$0] } : nil
            let recording = try track.map { try corpus.audio(of: $0) }
            for trial in group { try export.add(trial, recording: recording, material: material) }
        }
        return try export.finish(references: plan.references(leavingOut: nil).map(\.id))
    }

    private func writeCuts() throws -> String {
        var export = try QueryExport(folder: output, corpus: nil)
        let seed = options.seed ?? 1
        let templates = try PlanFile.chain(text: chain)
        let library = try CorpusLibrary(recipeFolder: options.corpora)
        let material = try CorpusMaterial(library: library, music: nil)
        StandardError.print("seed \(seed)")
        for path in try inputs.flatMap({ try AudioFileFinder.audioFiles(under: $0) }) {
            let recording = try AudioFile.read(path)
            let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            let trials = try Trial.cuts(
                from: path, name: name, chain: templates, lengthSeconds: length, count: count, seed: seed)
            for trial in trials { try export.add(trial, recording: recording, material: material) }
        }
        return try export.finish()
    }
}
