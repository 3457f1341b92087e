import AudioCore
import AudioIO
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

@Suite struct TrialDetailTests {
    private struct Run {
        /// Must outlive the store in it.
        let folder: TemporaryFolder
        let store: TrialStore
        let key: TrialStore.RunKey
        let records: [TrialRecord]
        let details: [TrialDetail]
    }

    private func run(_ contestant: Contestant, jobs: Int, details: Int = 100) throws -> Run {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let corpus = try Corpus.open(named: "synthetic", in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let file = try PlanFile(text: EvaluationRunTests.planText, name: "t.yaml")
        let plan = try Plan(file: file, corpus: corpus, material: material)
        let folder = try TemporaryFolder()
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "m")
        let store = try TrialStore(path: folder.file("t.sqlite"))
        var run = EvaluationRun(
            plan: plan, material: material, contestant: contestant, jobs: jobs, folder: folder.path)
        run.details = details
        let facts = try run.run(
            store: store, key: key,
            facts: RunFacts(
                plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: jobs,
                request: RunRequest(),
                notes: []))
        // All details exist, so the matcher is not asked again.
        run.contestant = Contestant(name: contestant.name, summary: "") {
            throw MeasurementError("was made again")
        }
        try run.explain(store: store, key: key, facts: facts)
        let records = try store.records(of: key)
        return Run(
            folder: folder, store: store, key: key, records: records,
            details: try records.compactMap {
                try store.content(TrialDetail.self, as: .detail, of: $0.trial.id, in: key)
            })
    }

    @Test func detailsAreTheSameOnOneAndTwoThreadsAndMatchTheRecord() throws {
        let run = try run(Contestants.earshot, jobs: 2)
        #expect(try self.run(Contestants.earshot, jobs: 1).details == run.details)
        #expect(run.details.count == run.records.count)
        for (record, detail) in zip(run.records, run.details) {
            #expect(detail.remarks.isEmpty, "\(detail.remarks)")
            #expect(detail.explanation?.candidates.map(\.candidate) == record.candidates)
            #expect((detail.expected != nil) == record.trial.isPositive)
            let sound = try #require(detail.query)
            let decoded = try AudioFile.decode([UInt8](sound.data), name: "query")
            #expect(abs(decoded.durationSeconds - 2) < 0.03 && sound.seconds == 2)
            for passage in [detail.expected, detail.chosen].compactMap(\.self) {
                let alignment = try #require(passage.alignment)
                #expect(detail.explanation?.alignments[alignment].place == passage.place)
                #expect(passage.startSeconds >= passage.place.offsetSeconds - 1e-4)
                #expect(passage.sound.map { $0.seconds <= 2.2 } ?? true)
            }
        }
        let found = try #require(
            zip(run.records, run.details).first { $0.0.candidates.first?.isAccepted == true })
        #expect(found.1.expected?.place.referenceID == found.0.candidates[0].referenceID)
        #expect(found.1.chosen == nil)
        // In a clean trial the passage equals the query.
        let clean = try #require(found.1.expected?.sound)
        let (a, b) = (
            try AudioFile.decode([UInt8](clean.data), name: "a").mono(),
            try AudioFile.decode([UInt8](try #require(found.1.query).data), name: "b").mono()
        )
        #expect(correlation(a, b) > 0.9)
    }

    private func correlation(_ a: [Float], _ b: [Float]) -> Double {
        let (pairs, ab, aa, bb) = zip(a, b).reduce(into: (0, 0.0, 0.0, 0.0)) { sums, pair in
            let (x, y) = (Double(pair.0), Double(pair.1))
            sums = (sums.0 + 1, sums.1 + x * y, sums.2 + x * x, sums.3 + y * y)
        }
        return pairs == 0 ? 0 : ab / (aa * bb).squareRoot()
    }

    @Test func aMatcherWithoutExplanationsStillHasSounds() throws {
        let null = try #require(Contestants.named("null"))
        let run = try run(null, jobs: 2, details: 6)
        #expect(run.details.count == 6)
        for detail in run.details {
            #expect(detail.query != nil && detail.explanation == nil)
            #expect(detail.remarks.count == 1 && detail.remarks[0].contains("null"))
        }
        #expect(run.details.contains { $0.expected?.sound != nil })
    }

    private func run(_ script: ExplainingScript) throws -> Run {
        var limits = ExternalLimits()
        limits.querySeconds = 3
        limits.backOffSeconds = 0
        limits.restarts = 1
        limits.kills = 0
        let command = try ExternalCommand(script.commandLine)
        return try run(
            Contestant(name: "explaining", summary: "") { [limits] in
                try ExternalMatcher(command, limits: limits)
            }, jobs: 2, details: 4)
    }

    @Test func anExternalMatcherExplains() throws {
        let run = try run(ExplainingScript("well"))
        #expect(run.details.contains { $0.explanation != nil })
        for detail in run.details where detail.query != nil {
            let record = try #require(run.records.first { $0.trial.id == detail.trialID })
            let explanation = try #require(detail.explanation)
            #expect(detail.remarks.isEmpty && explanation.threshold == 0.5)
            // The answer of the run comes first; the second candidate was not named.
            #expect(explanation.candidates.map(\.candidate.isAccepted) == [true, false])
            #expect(explanation.candidates.first?.candidate == record.candidates.first)
            for passage in [detail.expected, detail.chosen].compactMap(\.self) {
                let place = try #require(passage.alignment)
                #expect(explanation.alignments[place].place == passage.place)
            }
        }
    }

    @Test func anExplanationWithoutAlignmentsStillHasTheAnswers() throws {
        let run = try run(ExplainingScript("least", always: true))
        for detail in run.details where detail.query != nil {
            let record = try #require(run.records.first { $0.trial.id == detail.trialID })
            #expect(detail.explanation?.candidates.map(\.candidate) == record.candidates)
            #expect(detail.expected?.alignment == nil && detail.chosen?.alignment == nil)
        }
    }

    @Test(arguments: [
        ("error", "says: cannot"), ("die", "out of luck"), ("killed", "by a signal"),
        ("hang", "gave no answer"),
        ("flood", "more than 4194304 bytes"), ("garbage", "no JSON"),
        ("other-answer", "candidate 1 is "), ("other-offset", "at 3.0 s with score 1.0; the answer was "),
    ])
    func aFailedExplanationIsARemarkAndChangesNoOutcome(_ mode: String, _ words: String) throws {
        let run = try run(ExplainingScript(mode, always: true))
        #expect(run.details.count == 4)
        for detail in run.details {
            #expect(detail.query != nil && detail.explanation == nil)
            #expect(detail.remarks.count == 1, "\(detail.remarks)")
            #expect(detail.remarks.allSatisfy { $0.hasPrefix("The explanation failed: ") })
            #expect(detail.expected?.sound != nil || detail.expected == nil)
        }
        #expect(run.details.contains { $0.remarks.contains { $0.contains(words) } })
        #expect(run.records.allSatisfy { $0.error == nil && $0.notMeasured == nil })
        let well = try self.run(ExplainingScript("well"))
        #expect(run.records.map(\.candidates) == well.records.map(\.candidates))
    }

    @Test func aMatcherWithoutPositionsIsMeasured() throws {
        let whole = try run(Contestants.earshot, jobs: 2)
        let name = Contestants.earshot.name
        let run = try run(
            Contestant(name: name, summary: "") {
                Changing(try Contestants.earshot.make()) { $0.offsetSeconds = nil }
            }, jobs: 2)
        #expect(run.records.map(\.withoutPositions) == whole.records.map(\.withoutPositions))
        #expect(run.records.allSatisfy { $0.candidates.allSatisfy { $0.offsetSeconds == nil } })
        for (record, detail) in zip(run.records, run.details) {
            #expect(detail.chosen == nil && (detail.expected != nil) == record.trial.isPositive)
            #expect(
                detail.remarks.contains("The best candidate states no position.") == !record.candidates
                    .isEmpty)
        }
    }

    @Test func aMatcherOfRelatedAnswersClaimsNothing() throws {
        let whole = try run(Contestants.earshot, jobs: 2, details: 0)
        let name = Contestants.earshot.name
        let run = try run(
            Contestant(name: name, summary: "") {
                Changing(try Contestants.earshot.make()) { $0.isRelated = true }
            }, jobs: 2, details: 0)
        #expect(
            run.records.allSatisfy { $0.candidates.isEmpty && JudgedTrial($0, threshold: nil).claim == nil })
        #expect(
            run.records.map { $0.related?.map(\.referenceID) ?? [] }
                == whole.records.map { $0.candidates.map(\.referenceID) })
    }

    /// A matcher whose answers are changed.
    private final class Changing: Matcher {
        let base: any Matcher
        let change: @Sendable (inout Candidate) -> Void
        var name: String { base.name }
        var version: String { base.version }
        var settings: [String: String] { base.settings }

        init(_ base: any Matcher, change: @escaping @Sendable (inout Candidate) -> Void) {
            self.base = base
            self.change = change
        }

        func enrol(id: String, audio: AudioBuffer) throws { try base.enrol(id: id, audio: audio) }

        func finishEnrolment() throws -> Int? { try base.finishEnrolment() }

        func identify(_ query: Query) throws -> [Candidate] {
            try base.identify(query).map { candidate in
                var candidate = candidate
                change(&candidate)
                return candidate
            }
        }
    }

    @Test func detailsAreDeletedAndCopiedWithTheirRun() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (
            try TrialStore(path: folder.file("one.sqlite")), try TrialStore(path: folder.file("two.sqlite"))
        )
        let (key, own) = (
            TrialStore.RunKey(plan: "p", matcher: "m"), TrialStore.RunKey(plan: "p", matcher: "n")
        )
        var detail = TrialDetail(trialID: "it's <b>/\u{202E}1")
        detail.remarks = ["a remark"]
        try one.save(detail, as: .detail, of: detail.trialID, in: key)
        try other.add(key, from: one, to: own)
        #expect(try other.content(TrialDetail.self, as: .detail, of: detail.trialID, in: own) == detail)
        #expect(try other.content(TrialDetail.self, as: .detail, of: detail.trialID, in: key) == nil)
        try one.forget(key)
        #expect(try one.names(of: .detail, in: key).isEmpty)
    }
}

extension TrialRecord {
    /// The record without what follows from the positions of answers.
    fileprivate var withoutPositions: TrialRecord {
        var record = withoutCircumstances
        for place in record.candidates.indices { record.candidates[place].offsetSeconds = nil }
        record.repetition = nil
        return record
    }
}
