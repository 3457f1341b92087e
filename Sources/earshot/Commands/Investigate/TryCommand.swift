import ArgumentParser
import AudioCore
import Corpora
import Degradations
import Evaluation
import MatcherAdapters
import Reporting
import Studies

struct TryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Match one query of a corpus or a plan, and print the answers",
        discussion: """
            A query is cut from a track, for example:

              earshot try --corpus games-small --track singularity-music/Aberrations.ogg --at 35.2 --length 5 \
            --chain '[{noise: {colour: pink, snrDecibels: -6}}]'

            Or it is a trial of a run, which gets the same answer:

              earshot try --plan standard --trial pink-noise/-6dB/5s/p003

            Enrols every reference of the corpus except those that the trial leaves out. The exit code is 0 for a \
            right answer, 2 for a wrong one. No answer is right for a track that is not enrolled.
            """)

    @OptionGroup(title: "The plan of a trial, or the corpus of a cut") var options: PlanOptions
    @Option(help: "Make this trial of the plan.")
    var trial: String?
    @Option(help: "The track to cut from, by its name in reports.")
    var track: String?
    @Option(help: "The beginning of the query in the track, in seconds.")
    var at: Double?
    @Option(help: "The length of a cut, in seconds.")
    var length = 5.0
    @OptionGroup var choice: MatcherOptions
    @OptionGroup var threads: ThreadOptions

    func validate() throws {
        try require("--at", at, in: 0...1e6, unit: "seconds")
        try require("--length", length, in: 0.05...3600, unit: "seconds")
        if trial != nil { return try refuse(["--track", "--at", "--length"], "with --trial") }
        let planning = [
            "--plan", "--queries", "--positives", "--negatives", "--negative-folds", "--start-shift",
        ]
        try refuse(planning, "without --trial", remedy: "Add --trial NAME, or remove it")
        let isCut = options.request().corpusName != nil && track != nil && at != nil
        try reject(if: !isCut, "say what to make: --trial, or --corpus, --track and --at")
    }

    func run() throws {
        let record = try trial.map(answer(to:)) ?? answerToCut()
        try StandardOutput.print(TriedTrial.text(record))
        guard record.error == nil, let outcome = JudgedTrial(record, threshold: nil).outcome else {
            throw ExitCode.failure
        }
        if !outcome.isRight { throw ExitCode(.fail) }
    }

    /// Makes a trial of the plan and puts it to the matcher.
    private func answer(to name: String) throws -> TrialRecord {
        let (request, library) = try options.started()
        let opened = try request.open(noting: library)
        let trial = try opened.plan.requiredTrial(named: name)
        let references = opened.plan.references(leavingOut: trial.fold)
        return try bench(of: opened.plan.corpus, references, opened.material).record(trial)
    }

    private func answerToCut() throws -> TrialRecord {
        let (request, library) = try options.started()
        let opened = try request.openCorpus(in: library, standard: "")
        let cut = try cut(in: opened.corpus, request.cutChain())
        return try bench(of: opened.corpus, nil, opened.material).verdict(on: cut).record
    }

    private func bench(
        of corpus: Corpus, _ references: [Track]?, _ material: CorpusMaterial
    ) throws -> MatcherBench {
        try MatcherBench(
            corpus: corpus, references: references, material: material,
            contestant: choice.request().contestant(),
            jobs: threads.count, progress: ProgressDisplay().show)
    }

    private func cut(in corpus: Corpus, _ chain: [DegradationTemplate]) throws -> DegradedQuery {
        let (name, at) = (track ?? "", at ?? 0)
        guard let track = corpus.tracks.first(where: { $0.id == name }) else {
            let near = corpus.tracks.map(\.id).suggestion(for: name)
            throw ValidationError("the corpus \(corpus.name) has no track '\(name)'\(near)")
        }
        let start = Int(bounded: (at * Double(track.sampleRate)).rounded())
        guard start < track.frameCount else {
            throw ValidationError("--at \(at) is after the end of \(track.id), \(track.durationSeconds) s")
        }
        return try DegradedQuery(
            track, startFrame: start, lengthSeconds: length, chain: chain, seed: options.seed ?? 1)
    }
}
