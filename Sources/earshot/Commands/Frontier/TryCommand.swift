import ArgumentParser
import AudioCore
import Degradations
import Evaluation
import Foundation
import Reporting

/// `earshot try`: makes one query and puts it to a matcher that knows a corpus.
struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Make one query of a corpus, put it to a matcher, and print what it answers.",
        discussion: """
            For example
              earshot try --corpus games-small --track singularity-music/Aberrations.ogg --at 35.2 --length 5 \
            --chain '[{noise: {colour: pink, snrDecibels: -6}}]'
            Every reference of the corpus is enrolled first. Exits with 0 when the right recording is named (or, for \
            a track that is not enrolled, none), with 2 when not.
            """)

    @Option(help: "The corpus whose references are enrolled.")
    var corpus: String

    @Option(help: "The track to cut from, as reports call it.")
    var track: String

    @Option(help: "Where in the track the query begins, in seconds.")
    var at: Double

    @Option(help: "The length of the query, in seconds.")
    var length = 5.0

    @Option(help: "What is done to it, as a YAML list.")
    var chain = "[]"

    @Option(help: "The seed of whatever the chain leaves to chance.")
    var seed: UInt64 = 1

    @Option(help: "The folder of recipes; by default Corpora here or beside the program's package.")
    var corpora: String?

    @OptionGroup var choice: MatcherOptions

    @Option(help: "The number of threads that enrol.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    func validate() throws {
        if !(0...1e6).contains(at) { throw ValidationError("--at \(at) is not in 0...1000000 seconds") }
        if !(0.05...3600).contains(length) {
            throw ValidationError("--length \(length) is not in 0.05...3600 seconds")
        }
        if jobs < 1 { throw ValidationError("--jobs \(jobs) is below 1") }
    }

    /// The query that the options describe.
    func cut(in corpus: Corpus) throws -> DegradedCut {
        guard let track = corpus.tracks.first(where: { $0.id == track }) else {
            throw ValidationError("the corpus \(corpus.name) has no track '\(track)'")
        }
        let start = Int((at * Double(track.sampleRate)).rounded())
        guard start < track.frameCount else {
            throw ValidationError("--at \(at) lies behind the end of \(track.id), \(track.durationSeconds) s")
        }
        var generator = SeededGenerator(seed: seed, "try", "chain")
        let steps = try PlanFile.chain(text: chain).map { try $0.draw(using: &generator) }
        return DegradedCut(
            track: track, isPositive: track.isEnrolled, startFrame: start, lengthSeconds: length,
            chain: DegradationChain(steps: steps))
    }

    func run() throws {
        let library = try CorpusLibrary(recipeFolder: corpora)
        let opened = try Corpus.open(named: corpus, in: library)
        let cut = try cut(in: opened)
        let bench = try QueryBench(
            corpus: opened, material: CorpusMaterial(library: library, music: opened),
            contestant: choice.contestant(), jobs: jobs, progress: ProgressDisplay().show(_:done:of:))
        let (record, outcome, _) = try bench.verdict(on: cut)
        try StandardOutput.print(AnswerText.text(record, of: cut))
        guard let outcome else { throw ExitCode.failure }
        if !outcome.isRight { throw ExitCode(2) }
    }
}
