import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics
import SystemIO

package struct MinimisingRun: Study, Sendable {
    package static let name = "minimise"
    package var settings: MatcherRequest { matcher }
    package var identity: [String] { [failed.key.plan, "\(longestSeconds) s"] }
    package var trialCount: Int { trials.count }

    private let failed: FailedRun
    private let trials: [Trial]
    private let contestant: Contestant
    private let matcher: MatcherRequest
    private let longestSeconds: Double

    package init(
        _ trials: [Trial], of failed: FailedRun, contestant: Contestant, matcher: MatcherRequest,
        longestSeconds: Double
    ) {
        self.trials = trials
        self.failed = failed
        self.contestant = contestant
        self.matcher = matcher
        self.longestSeconds = longestSeconds
    }

    /// Minimises the trials that `folder` lacks, and returns the cases of all in order.
    ///
    /// - Throws: ``MeasurementError`` for a trial that passes, or that place and chain do not define.
    package func cases(
        in folder: CaseFolder, jobs: Int, progress: @escaping EvaluationRun.Progress
    ) throws -> [MinimisedCase] {
        let study = try StudyRun(
            of: self, in: folder.path, origin: failed.facts.provenance,
            jobs: jobs, progress: progress)
        let cases = try study.outcomes(
            of: trials.map(StudyRun.Trial.init), stage: "cases"
        ) { () -> @Sendable (Int) throws -> MinimisedCase in
            let bench = try MatcherBench(
                corpus: failed.corpus, material: failed.material, contestant: contestant, jobs: jobs,
                progress: progress)
            return { try minimised(trials[$0], on: bench) }
        }
        for one in cases { try folder.keep(one) }
        return cases
    }

    private func minimised(_ trial: Trial, on bench: MatcherBench) throws -> MinimisedCase {
        let cut = try place(of: trial, on: bench)
        let track = try bench.track(cut.track)
        let room = try longest(cut, track)
        var minimiser = Minimiser(longestSeconds: room) { cut in try bench.verdict(on: cut).verdict }
        let original = try bench.verdict(on: cut)
        if let error = original.record.error {
            throw MeasurementError(
                "\(trial.id) ended with an error, so there is no failure to minimise: \(error)")
        }
        guard let minimum = try minimiser.minimum(below: cut) else {
            throw MeasurementError(
                "\(trial.id) does not fail: "
                    + (trial.isPositive ? "the right recording is named" : "no recording is named"))
        }
        let (record, outcome, _) = try bench.verdict(on: minimum.cut)
        let judged = JudgedTrial(record, threshold: nil)
        let answer = judged.claim ?? record.candidates.first
        return MinimisedCase(
            trialID: trial.id, run: failed.key, original: cut,
            originalOutcome: original.outcome?.rawValue ?? "",
            minimal: minimum.cut, outcome: outcome?.rawValue ?? "", expected: record.truthReferences,
            answer: answer?.referenceID, score: answer?.score,
            request: RunRequest(
                corpus: bench.corpus.argument, half: failed.facts.provenance.half, matcher: matcher),
            stepsLess: minimum.stepsLess.map { less in
                MinimisedCase.StepLess(
                    change: less.reduction.words(from: minimum.cut, to: less.cut), cut: less.cut,
                    verdict: less.verdict)
            }, longestSeconds: longestSeconds, runs: minimum.runs)
    }

    private func place(of trial: Trial, on bench: MatcherBench) throws -> DegradedQuery {
        guard let source = trial.source else {
            throw MeasurementError("\(trial.id) is digital silence; there is no recording to cut it from")
        }
        guard trial.fold == nil else {
            throw MeasurementError(
                "\(trial.id) used a catalog without its own recording (fold \(trial.fold ?? 0)); "
                    + "only trials with the whole catalog can be minimised")
        }
        let track = try bench.track(source)
        guard track.copy == nil else {
            throw MeasurementError("\(trial.id) was cut from a speed copy, which no other command can make")
        }
        let start = try failed.start(trial, bench.recording(source))
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

/// A failed trial, its easiest failing form, and the results one step easier.
package struct MinimisedCase: Codable, Hashable, Sendable {
    package struct StepLess: Codable, Hashable, Sendable {
        package var change: String
        package var cut: DegradedQuery
        package var verdict: Minimiser.Verdict
    }

    package var trialID: String
    package var run: TrialStore.RunKey
    package var original: DegradedQuery
    package var originalOutcome: String
    package var minimal: DegradedQuery
    package var outcome: String
    /// The references that would be right; none for a negative.
    package var expected: [String]
    package var answer: String?
    package var score: Double?
    /// The corpus and the matcher that show it.
    package var request: RunRequest
    package var stepsLess: [StepLess]
    package var longestSeconds: Double
    package var runs: Int
}

/// Minimised cases, one JSON file each, in the folder `cases` of a folder.
package struct CaseFolder: Sendable {
    package let path: String

    package init(in folder: String) { path = folder + "/cases" }

    /// All cases, in the order of the names of their files.
    ///
    /// - Throws: ``StoreError`` when there is none, or one cannot be read.
    package func all() throws -> [MinimisedCase] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        guard !names.isEmpty else { throw StoreError(path: path, message: "holds no minimised case") }
        return try names.map { name in
            let file = "\(path)/\(name)"
            do {
                return try JSONDecoder().decode(
                    MinimisedCase.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
            } catch {
                throw StoreError(path: file, message: "is no minimised case of this version: \(error)")
            }
        }
    }

    func keep(_ one: MinimisedCase) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try AtomicFile.write(
            String(decoding: encoder.encode(one), as: UTF8.self) + "\n",
            to: "\(path)/\(one.trialID.replacing("/", with: "_")).json")
    }
}

/// What the commands of minimised cases show, and those of every easier step.
package struct MinimisedCheck: Sendable {
    package let cases: Int
    package let failing: Int
    package let stepsLess: Int
    package let holding: Int
    package let differences: [String]
}

extension MatcherBench {
    /// - Parameter progress: receives the number of finished cases, from any thread.
    package func check(
        _ cases: [MinimisedCase], jobs: Int, progress: @Sendable (Int) -> Void = { _ in }
    ) throws -> MinimisedCheck {
        let checks = try ParallelMap.map(cases.count, jobs: jobs, progress: progress) { number in
            let one = cases[number]
            return (
                try verdict(on: one.minimal).verdict,
                try one.stepsLess.map { try verdict(on: $0.cut).verdict }
            )
        }
        var differences: [String] = []
        for (one, (verdict, stepsLess)) in zip(cases, checks) {
            if verdict != .fails { differences.append("\(one.trialID): failed, now it \(verdict.rawValue)") }
            for (step, found) in zip(one.stepsLess, stepsLess) where found != step.verdict {
                differences.append(
                    "\(one.trialID), \(step.change): stored \(step.verdict.rawValue), now it \(found.rawValue)"
                )
            }
        }
        return MinimisedCheck(
            cases: cases.count, failing: checks.count { $0.0 == .fails },
            stepsLess: checks.reduce(0) { $0 + $1.1.count },
            holding: checks.reduce(0) { $0 + $1.1.count { $0 != .fails } }, differences: differences)
    }
}
