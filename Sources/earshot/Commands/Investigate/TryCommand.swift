import ArgumentParser
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Reporting
import Studies

struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Make one query of a corpus or a plan, put it to a matcher, and print what it answers",
        discussion: """
            For example
              earshot try --corpus games-small --track singularity-music/Aberrations.ogg --at 35.2 --length 5 \
            --chain '[{noise: {colour: pink, snrDecibels: -6}}]'
            or, to make a trial of a run again and get the same answer,
              earshot try --plan standard --trial pink-noise/-6dB/5s/p003
            Every reference of the corpus is enrolled first, but those that the trial leaves out. Exits with 0 when \
            the right recording is named (or, for a track that is not enrolled, none), with 2 when not.
            """)

    @OptionGroup(title: "The plan of a trial, or the corpus of a cut") var options: PlanOptions
    @Option(help: "Make this trial of the plan.")
    var trial: String?
    @Option(help: "The track to cut from, as reports call it.")
    var track: String?
    @Option(help: "Where in the track the query begins, in seconds.")
    var at: Double?
    @Option(help: "The length of a cut, in seconds.")
    var length = 5.0
    @Option(
        help: "What is done to a cut, as a YAML list; --seed says how chance falls, 1 if it is not given.")
    var chain = "[]"
    @OptionGroup var choice: MatcherOptions
    @Option(help: "The number of threads that enrol.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    func validate() throws {
        try require("--at", at, in: 0...1e6, unit: "seconds")
        try require("--length", length, in: 0.05...3600, unit: "seconds")
        try requireJobs(jobs)
        try reject(if: trial != nil && (track != nil || at != nil), "--trial says already where to cut")
        let isCut = options.request().corpusName != nil && track != nil && at != nil
        try reject(if: trial == nil && !isCut, "say what to make: --trial, or --corpus, --track and --at")
    }

    func run() throws {
        let record = try trial.map(answer(to:)) ?? answerToCut()
        try StandardOutput.print(AnswerText.text(record))
        guard record.error == nil, let outcome = JudgedTrial(record, threshold: nil).outcome else {
            throw ExitCode.failure
        }
        if !outcome.isRight { throw ExitCode(2) }
    }

    /// Makes a trial of the plan and puts it to the matcher.
    private func answer(to name: String) throws -> TrialRecord {
        let opened = try options.request().open()
        let trial = try opened.plan.requiredTrial(named: name)
        return try MatcherBench(
            corpus: opened.plan.corpus, references: opened.plan.references(leavingOut: trial.fold),
            material: opened.material, contestant: choice.request.contestant(), jobs: jobs,
            progress: ProgressDisplay().show(_:done:of:)
        ).record(trial)
    }

    private func answerToCut() throws -> TrialRecord {
        let opened = try options.request().openCorpus(in: .standard(options.corpora), standard: "")
        let cut = try cut(in: opened.corpus)
        return try MatcherBench(
            corpus: opened.corpus, material: opened.material, contestant: choice.request.contestant(),
            jobs: jobs, progress: ProgressDisplay().show(_:done:of:)
        ).verdict(on: cut).record
    }

    private func cut(in corpus: Corpus) throws -> DegradedQuery {
        let (name, at) = (track ?? "", at ?? 0)
        guard let track = corpus.tracks.first(where: { $0.id == name }) else {
            let near = corpus.tracks.map(\.id).suggestion(for: name)
            throw ValidationError("the corpus \(corpus.name) has no track '\(name)'\(near)")
        }
        let start = Int((at * Double(track.sampleRate)).rounded())
        guard start < track.frameCount else {
            throw ValidationError("--at \(at) lies behind the end of \(track.id), \(track.durationSeconds) s")
        }
        return try DegradedQuery(
            track, startFrame: start, lengthSeconds: length, chain: chain, seed: options.seed ?? 1)
    }
}
