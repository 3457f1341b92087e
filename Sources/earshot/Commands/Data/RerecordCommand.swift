import ArgumentParser
import Corpora
import Evaluation
import Foundation
import Reporting
import Studies
import SystemIO

struct RerecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rerecord",
        abstract: "Play a plan's queries through a speaker and record them by a microphone",
        discussion: """
            A sweep before and after each query tells where it is in the recording, and how the clocks differ. The folder \
            gets a FLAC file for each query, and truth.csv for `evaluate --queries`. The same command continues after a \
            break. Two devices can share the work:
              earshot rerecord standard --write-wav tape.wav
              earshot rerecord standard --cut recording.wav --output DIR --device 'phone A' --room kitchen
            One device plays tape.wav while the other records, from anywhere in the tape. Recordings add up: --cut takes \
            from each what the folder lacks.
            """)

    @Argument(help: "A plan's name in Corpora/Plans, or the path of a YAML file.")
    var plan: String
    @Option(help: "The folder for recorded queries; it is made if there is none.")
    var output: String?
    @Option(
        help: ArgumentHelp(
            "Write all queries to this WAV file, to play on another device.", valueName: "file"))
    var writeWav: String?
    @Option(help: ArgumentHelp("Cut the queries from a recording of that file.", valueName: "recording"))
    var cut: String?
    @Option(help: "What records, such as 'phone A': a tag in the table of truth.")
    var device = ""
    @Option(help: "Where it records, such as kitchen: a tag in the table of truth.")
    var room = ""
    @Option(
        help: "The sink to play to, as `pactl list short sinks` names it; by default the server's default.")
    var speaker: String?
    @Option(
        help: "The source to record, as `pactl list short sources` names it; by default the server's default."
    )
    var microphone: String?
    @OptionGroup(title: "Queries of the plan") var choice: RerecordChoice

    func validate() throws {
        try reject(
            if: (output == nil) == (writeWav == nil),
            output == nil
                ? "No output folder. Add --output DIR" : "--write-wav and --output exclude each other")
        try reject(
            if: cut != nil && (writeWav != nil || speaker != nil || microphone != nil),
            "--cut excludes --write-wav, --speaker and --microphone")
    }

    func run() throws {
        let opened = try choice.request(plan: plan).open()
        let display = ProgressDisplay()
        let rerecording = Rerecording(opened, note: StandardError.print, progress: display.show)
        if let writeWav {
            try opened.plan.corpus.requireOutside(writeWav)
            let seconds = Int(try rerecording.writeTape(to: writeWav))
            return try StandardOutput.print(
                String(format: "%@: %d:%02d:%02d", writeWav, seconds / 3600, seconds / 60 % 60, seconds % 60))
        }
        guard let output else { return }
        try opened.plan.corpus.requireOutside(output)
        let folder = try RerecordedFolder(
            path: output, files: rerecording.fileNames, device: device, room: room)
        try folder.write(references: rerecording.references)
        let session =
            try cut.map { try rerecording.cut($0, into: folder) }
            ?? rerecording.record(speaker: speaker, microphone: microphone, into: folder)
        let count = session.recorded.counting("query", "queries")
        let skew = String(format: "%+.1f", (session.pace - 1) * 1e6)
        try StandardOutput.print(
            "\(count) recorded, \(session.held) were there; clock skew \(skew) ppm: \(folder.truthPath)")
    }
}

/// The options that change a plan whose queries are played.
struct RerecordChoice: ParsableArguments {
    @Option(help: "Take this corpus instead of the plan's.")
    var corpus: String?
    @Option(help: "Take the recordings in this folder instead of the plan's corpus.")
    var folder: String?
    @Option(help: "Cut positives from the 'test' or the 'tuning' half instead of the plan's.")
    var half: CorpusHalf?
    @Option(help: "Draw everything from this seed instead of the plan's.")
    var seed: UInt64?
    @Option(help: "Positive queries in each cell, instead of the plan's number.")
    var positives: Int?
    @Option(help: "Negative queries in each cell, instead of the plan's number.")
    var negatives: Int?
    @Option(help: "The folder of recipes and plans; by default Corpora here or beside the program's package.")
    var corpora: String?

    func validate() throws {
        try reject(if: corpus != nil && folder != nil, "--corpus and --folder exclude each other")
        try require("--positives", positives, in: 0...100_000)
        try require("--negatives", negatives, in: 0...100_000)
    }

    func request(plan: String) -> RunRequest {
        RunRequest(
            plan: plan, corpus: corpus, folder: folder, half: half, seed: seed, positives: positives,
            negatives: negatives, recipeFolder: corpora)
    }
}
