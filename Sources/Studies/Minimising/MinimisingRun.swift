import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Metrics

/// Minimises failing trials, and keeps each case in a file as soon as it is done, so that a killed run goes on.
package struct MinimisingRun: Sendable {
    /// Who is asked.
    package let bench: QueryBench
    /// The plan and the matcher that the trials failed in.
    package let run: TrialStore.RunKey
    /// What chose the matcher.
    package let matcher: MatcherRequest
    /// No query gets longer than so many seconds.
    package let longestSeconds: Double
    /// The frame of its recording at which a trial begins.
    package let start: @Sendable (Trial, AudioBuffer) throws -> Int
    /// Where cases are kept.
    package let folder: String
    /// The number of threads.
    package let jobs: Int

    /// Describes a run.
    package init(
        bench: QueryBench, run: TrialStore.RunKey, matcher: MatcherRequest, longestSeconds: Double,
        start: @escaping @Sendable (Trial, AudioBuffer) throws -> Int, folder: String, jobs: Int
    ) {
        self.bench = bench
        self.run = run
        self.matcher = matcher
        self.longestSeconds = longestSeconds
        self.start = start
        self.folder = folder
        self.jobs = jobs
    }

    /// Minimises `trials`, in order.
    ///
    /// - Parameter progress: told how many cases are done, from any thread.
    /// - Throws: ``MinimisingError`` for a trial that does not fail or cannot be told by place and chain alone.
    package func cases(_ trials: [Trial], progress: @Sendable (Int) -> Void = { _ in }) throws
        -> [MinimisedCase]
    {
        let store = CaseFolder(path: folder)
        try store.make()
        // Cases of one recording follow each other, so that it is decoded about once.
        let order = trials.indices.sorted {
            (trials[$0].source ?? "", $0) < (trials[$1].source ?? "", $1)
        }
        let cases = try ParallelMap.map(order.count, jobs: jobs, progress: progress) { place in
            let trial = trials[order[place]]
            if let known = try store.known(trial.id), known.run == run,
                known.longestSeconds == longestSeconds
            {
                return (order[place], known)
            }
            let found = try minimised(trial)
            try store.keep(found)
            return (order[place], found)
        }
        return cases.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func minimised(_ trial: Trial) throws -> MinimisedCase {
        let cut = try place(of: trial)
        let track = try bench.track(cut.track)
        let room = try longest(cut, track)
        var minimiser = Minimiser(longestSeconds: room) { cut in try bench.verdict(on: cut).verdict }
        let original = try bench.verdict(on: cut)
        if let error = original.record.error {
            throw MinimisingError("\(trial.id) erred, so there is no failure to minimise: \(error)")
        }
        guard let minimum = try minimiser.minimum(below: cut) else {
            throw MinimisingError(
                "\(trial.id) does not fail: "
                    + (trial.isPositive ? "the right recording is named" : "no recording is named"))
        }
        let (record, outcome, _) = try bench.verdict(on: minimum.cut)
        let judged = JudgedTrial(record, threshold: nil)
        let answer = judged.claim ?? record.candidates.first
        return MinimisedCase(
            trialID: trial.id, run: run, original: cut, originalOutcome: original.outcome?.rawValue ?? "",
            minimal: minimum.cut, outcome: outcome?.rawValue ?? "", expected: record.truthReferences,
            answer: answer?.referenceID, score: answer?.score,
            request: RunRequest(corpus: bench.corpus.argument, matcher: matcher),
            stepsLess: minimum.stepsLess.map { less in
                MinimisedCase.StepLess(
                    change: less.reduction.words(from: minimum.cut, to: less.cut), cut: less.cut,
                    verdict: less.verdict)
            }, longestSeconds: longestSeconds, runs: minimum.runs)
    }

    /// Where the query of a trial begins.
    private func place(of trial: Trial) throws -> DegradedCut {
        guard let source = trial.source else {
            throw MinimisingError("\(trial.id) is digital silence; there is no recording to cut it from")
        }
        guard trial.fold == nil else {
            throw MinimisingError(
                "\(trial.id) was put to a catalog without its own recording (fold \(trial.fold ?? 0)); "
                    + "only trials put to the whole catalog can be minimised")
        }
        let track = try bench.track(source)
        guard track.copy == nil else {
            throw MinimisingError("\(trial.id) was cut from a speed copy, which no other command can make")
        }
        let start = try start(trial, bench.recording(source))
        return DegradedCut(
            track: track, isPositive: trial.isPositive, startFrame: start,
            lengthSeconds: trial.cell.lengthSeconds, chain: trial.chain)
    }

    /// The longest query that the recording holds from the cut's start, in whole steps of lengthening.
    private func longest(_ cut: DegradedCut, _ track: Track) throws -> Double {
        var seconds = cut.lengthSeconds
        while true {
            let next = seconds + Reduction.lengthStepSeconds
            // Without the steps that make it play slower it takes up more of the recording.
            let end = cut.startSeconds + max(next, cut.chain.sourceSeconds(forSeconds: next))
            guard next <= longestSeconds, end <= track.durationSeconds else { return seconds }
            seconds = next
        }
    }
}

extension QueryBench {
    /// Puts a query to the contestant, and says whether that failed.
    package func verdict(on cut: DegradedCut) throws -> (
        record: TrialRecord, outcome: Outcome?, verdict: Minimiser.Verdict
    ) {
        let record = try record(cut.trial)
        guard record.error == nil, let outcome = JudgedTrial(record, threshold: nil).outcome else {
            return (record, nil, .void)
        }
        return (record, outcome, outcome.isRight ? .holds : .fails)
    }
}

/// A trial that cannot be minimised, and why.
package struct MinimisingError: Error, CustomStringConvertible, Sendable {
    /// What was found and what was expected.
    package let description: String

    /// Makes an error.
    package init(_ description: String) { self.description = description }
}
