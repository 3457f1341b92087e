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
