import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Metrics

/// Minimises failing trials and writes each case at once, so that a killed run resumes.
package struct MinimisingRun: Sendable {
    package let bench: MatcherBench
    package let run: TrialStore.RunKey
    /// What chose the matcher.
    package let matcher: MatcherRequest
    /// The limit for the length of a query.
    package let longestSeconds: Double
    package let start: @Sendable (Trial, AudioBuffer) throws -> Int
    package let folder: String
    package let jobs: Int

    package init(
        bench: MatcherBench, run: TrialStore.RunKey, matcher: MatcherRequest, longestSeconds: Double,
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
    /// - Parameter progress: Receives the number of finished cases, from any thread.
    /// - Throws: ``MinimisingError`` for a trial that passes, or that place and chain do not define.
    package func cases(_ trials: [Trial], progress: @Sendable (Int) -> Void = { _ in }) throws
        -> [MinimisedCase]
    {
        let store = CaseFolder(path: folder)
        try store.make()
        return try ParallelMap.map(
            bySource: trials.map { $0.source ?? "" }, jobs: jobs, progress: progress
        ) { number in
            let trial = trials[number]
            if let known = try store.known(trial.id), known.run == run,
                known.longestSeconds == longestSeconds
            {
                return known
            }
            let found = try minimised(trial)
            try store.keep(found)
            return found
        }
    }

    private func minimised(_ trial: Trial) throws -> MinimisedCase {
        let cut = try place(of: trial)
        let track = try bench.track(cut.track)
        let room = try longest(cut, track)
        var minimiser = Minimiser(longestSeconds: room) { cut in try bench.verdict(on: cut).verdict }
        let original = try bench.verdict(on: cut)
        if let error = original.record.error {
            throw MinimisingError(
                "\(trial.id) ended with an error, so there is no failure to minimise: \(error)")
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
    private func place(of trial: Trial) throws -> DegradedQuery {
        guard let source = trial.source else {
            throw MinimisingError("\(trial.id) is digital silence; there is no recording to cut it from")
        }
        guard trial.fold == nil else {
            throw MinimisingError(
                "\(trial.id) used a catalog without its own recording (fold \(trial.fold ?? 0)); "
                    + "only trials with the whole catalog can be minimised")
        }
        let track = try bench.track(source)
        guard track.copy == nil else {
            throw MinimisingError("\(trial.id) was cut from a speed copy, which no other command can make")
        }
        let start = try start(trial, bench.recording(source))
        return DegradedQuery(
            track: track, isPositive: trial.isPositive, startFrame: start,
            lengthSeconds: trial.cell.lengthSeconds, chain: trial.chain)
    }

    /// The longest query that the recording holds from the cut's start, in whole steps of lengthening.
    private func longest(_ cut: DegradedQuery, _ track: Track) throws -> Double {
        var seconds = cut.lengthSeconds
        while true {
            let next = seconds + Reduction.lengthStepSeconds
            // Without steps that slow it down, the query takes more of the recording.
            let end = cut.startSeconds + max(next, cut.chain.sourceSeconds(forSeconds: next))
            guard next <= longestSeconds, end <= track.durationSeconds else { return seconds }
            seconds = next
        }
    }
}

extension MatcherBench {
    package func verdict(on cut: DegradedQuery) throws -> (
        record: TrialRecord, outcome: Outcome?, verdict: Minimiser.Verdict
    ) {
        let record = try record(cut.trial)
        guard record.error == nil, let outcome = JudgedTrial(record, threshold: nil).outcome else {
            return (record, nil, .void)
        }
        return (record, outcome, outcome.isRight ? .holds : .fails)
    }
}

package struct MinimisingError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
