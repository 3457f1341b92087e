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
            A sweep before and after each query gives its position in the recording and the clock skew. The folder \
            gets a FLAC file for each query, and truth.csv for `evaluate --queries`. An interrupted command resumes. \
            Two devices can share the work:

              earshot rerecord standard --write-wav tape.wav
              earshot rerecord standard --cut recording.wav --output DIR --device 'phone A' --room kitchen

            One device plays tape.wav while the other records, from anywhere in the tape. Recordings add up: --cut \
            takes only the queries that the folder lacks.
            """)

    @Argument(help: "The plan: its name in Corpora/Plans, or the path of a YAML file.", completion: .plans)
    var plan: String
    @Option(
        name: .shortAndLong, help: "The folder for recorded queries. It is made if it does not exist.",
        completion: .directory)
    var output: String?
    @Option(
        help: ArgumentHelp(
            "Write all queries to this WAV file, to play on another device.", valueName: "file"))
    var writeWav: String?
    @Option(help: ArgumentHelp("Cut the queries from a recording of that file.", valueName: "recording"))
    var cut: String?
    @Option(help: "The recording device, such as 'phone A': a tag in the table of truth.")
    var device = ""
    @Option(help: "The room, such as kitchen: a tag in the table of truth.")
    var room = ""
    @Option(
        help: "The sink to play to, by its name in `pactl list short sinks`. (default: the server's)")
    var speaker: String?
    @Option(
        help: "The source to record, by its name in `pactl list short sources`. (default: the server's)")
    var microphone: String?
    @OptionGroup(title: "Queries of the plan") var changes: PlanChanges

    func validate() throws {
        try reject(
            if: (output == nil) == (writeWav == nil),
            output == nil
                ? "No output folder. Add --output DIR" : "--write-wav and --output exclude each other")
        try exclude("--cut", "--write-wav", "--speaker", "--microphone")
        if writeWav != nil {
            try refuse(["--device", "--room", "--speaker", "--microphone"], "with --write-wav")
        }
    }

    func run() throws {
        let opened = try changes.request(plan: plan).open()
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
