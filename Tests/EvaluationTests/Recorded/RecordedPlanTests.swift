import AudioCore
import AudioIO
import Corpora
import Evaluation
import EvaluationTestSupport
import Foundation
import MatcherAdapters
import SystemIO
import TestSupport
import Testing

@Suite struct RecordedPlanTests {
    private typealias Bench = RecordedFolder

    @Test func aQueryCutAtASecondHasThatOffset() throws {
        let bench = try Bench()
        let plan = try bench.plan(
            """
            query,reference,offsetSeconds,frequencySkew,timeSkew
            q0.wav,r0.wav,2.5,0,0
            q1,r1,6.25,,
            stranger.wav,,,,
            """)
        #expect(plan.trials.map(\.isPositive) == [true, true, false])
        #expect(plan.references(leavingOut: nil).count == 4)
        // Twice: from the files, and from the cache.
        for _ in 0..<2 {
            let records = try bench.records(plan)
            let judged = records.map { JudgedTrial($0, threshold: nil) }
            #expect(judged.map(\.outcome) == [.correct, .correct, .correctReject])
            for trial in judged.prefix(2) {
                #expect(abs(try #require(trial.strictOffsetErrorSeconds)) < 0.002)
            }
            #expect(judged[0].freeTimeSkewError != nil && judged[1].freeTimeSkewError == nil)
            #expect(Scorecard(judged, highestWrongScore: nil).distinctNegativeSeconds == 4)
            #expect(records.map(\.trial.queryFile) == ["q0.wav", "q1", "stranger.wav"])
            #expect(records.map(\.trial.cell.lengthSeconds) == [5, 5, 5])
        }
    }

    @Test func aStatedLengthIsThatOfTheCellAndOthersAreRounded() throws {
        let plan = try Bench().plan(
            """
            query,reference,startSeconds,endSeconds,lengthSeconds
            q0,r0,0.5,3.5,3
            q1,r1,0,2,2
            q0,r0,0.4,3.4,
            q1,r1,,,
            """)
        #expect(plan.trials.map(\.cell.lengthSeconds) == [3, 2, 2, 5])
    }

    @Test func anUncertainPlaceIsJudgedButNotScored() throws {
        let bench = try Bench()
        let plan = try bench.plan(
            """
            reference_id,query_id,reference_begin,reference_end,query_begin,query_end
            r0,q0,2,7,0,4
            r1,q1,1,5,0,4
            r1,q1,7,11,1,3
            """)
        let judged = try bench.records(plan).map { JudgedTrial($0, threshold: nil) }
        #expect(judged.map(\.outcome) == [.correct, .correct, .correct])
        #expect(judged.map(\.place) == [.right, .other, .right])
        #expect(judged.allSatisfy { $0.strictOffsetErrorSeconds == nil && $0.timeSkewError == nil })
        #expect(judged[2].record.query?.frameCount == 2 * 44_100)
    }

    @Test func aQueryThatCannotBeMadeIsNoMiss() throws {
        let bench = try Bench()
        try AtomicFile.write("no audio", to: "\(bench.queries)/text.wav")
        try bench.own.write([], to: "broken.wav")
        let plan = try bench.plan("query,reference\nq0.wav,r0\ngone.wav,r1\ntext.wav,r2\nq1.wav,broken\n")
        let records = try bench.records(plan)
        #expect(records.map { $0.error == nil } == [true, false, false, false])
        #expect(records.map(\.trial.isPositive) == [true, true, true, true])
        // Only the matcher can miss.
        #expect(records.map { JudgedTrial($0, threshold: nil).outcome } == [.correct, nil, nil, nil])
        #expect(records[1].error?.contains("gone.wav: there is no such file") == true)
        #expect(records[3].error?.contains("its reference broken.wav cannot be used") == true)
        #expect(
            plan.notes(material: try CorpusMaterial(library: bench.own.library, music: nil))
                .contains { $0.contains("2 queries cannot be tried") })
    }

    @Test func aQueryThatCannotBeOpenedEndsTheRun() throws {
        let bench = try Bench()
        let plan = try bench.plan("query,reference\nq0.wav,r0\nq1.wav,r1\n")
        try FileManager.default.removeItem(atPath: "\(bench.queries)/q1.wav")
        #expect(throws: AudioFileError.self) { try bench.records(plan) }
    }

    @Test func aListOfReferencesMayHoldNamesThatLookLikeComments() throws {
        let bench = try Bench()
        let list = "query,reference\nq0.wav,r0\n"
        for (seed, name) in ["#5.wav", "#old/6.wav"].enumerated() {
            try bench.own.write(OwnRecordings.piece(UInt64(5 + seed)), to: name)
        }
        let all = try bench.plan(list).references(leavingOut: nil).map(\.id)
        #expect(all.count == 6)
        func enrolled(_ references: String) throws -> [String] {
            try bench.plan(list, references: references).references(leavingOut: nil).map(\.id)
        }
        #expect(try enrolled(all.map { $0 + "\n" }.joined()) == all)
        #expect(
            try enrolled("\u{FEFF}r0.wav\r\n# r1.wav\n#r2.wav\n#music/r3.wav\n\n#5.wav").sorted()
                == ["#5.wav", "r0.wav"])
    }

    /// With fewer references the figures would be others.
    @Test func allWrongLinesOfAReferenceListAreNamed() throws {
        let bench = try Bench()
        let error = #expect(throws: ConfigurationError.self) {
            try bench.plan("query,reference\nq0.wav,r0\n", references: "r8.wav\nr0.wav\n\u{0}\nr9.wav\n")
        }
        let lines = error?.description.split(separator: "\n").dropFirst().map { $0.split(separator: ":")[1] }
        #expect(lines == ["1", "3", "4"], "\(error as Any)")
    }

    @Test func anUnusableReferenceAffectsNoOther() throws {
        let bench = try Bench()
        try bench.own.write([], to: "broken.wav")
        let plan = try bench.plan(
            "query,reference,offsetSeconds\nq0.wav,broken.wav,1\nq0.wav,r0.wav,2.5\n")
        let judged = JudgedTrial(try #require(bench.records(plan).first), threshold: nil)
        #expect(judged.outcome == .correct, "\(judged.record.error ?? "")")
        #expect(abs(try #require(judged.strictOffsetErrorSeconds)) < 0.002)
    }

    @Test func aMissingReferenceIsRefusedAtItsPlace() throws {
        let bench = try Bench()
        let error = #expect(throws: ConfigurationError.self) {
            try bench.plan("query,reference\nq0.wav,r0\nq1.wav,r9.wav\n")
        }
        #expect(error?.line == 3 && error?.message.contains("column 8: ") == true)
        #expect(error?.message.contains("\"r9.wav\", which is not there") == true)
        try bench.own.write(OwnRecordings.piece(5), to: "more/r0.wav")
        let twice = #expect(throws: ConfigurationError.self) {
            try bench.plan("query,reference\nq0.wav,x/r0.wav\n")
        }
        #expect(twice?.message.contains("more/r0.wav or r0.wav") == true)
        #expect(throws: CorpusError.self) { try bench.plan("query,reference\nno.wav,r1\n") }
    }

    @Test func aPositiveIsANegativeWithoutItsReferences() throws {
        let bench = try Bench()
        // The same recording once more, which only the audio tells; and one that a list calls right too.
        try bench.own.write(OwnRecordings.piece(0), as: "ogg-vorbis-q0.3", to: "again.ogg")
        let list = "query,reference,offsetSeconds\nq0.wav,r0,2.5\nq1,r1,6.25\nq1,r3,\nstranger.wav,,\n"
        let plan = try bench.plan(list, folds: 2)
        #expect(plan.trials.map(\.isPositive) == [true, false, true, false, false])
        #expect(plan.trials.map { $0.fold != nil } == [false, true, false, true, false])
        let records = try bench.records(plan)
        #expect(
            records.map { JudgedTrial($0, threshold: nil).outcome?.isRight } == [
                true, true, true, true, true,
            ])
        for (positive, negative) in [(records[0], records[1]), (records[2], records[3])] {
            let known = plan.references(leavingOut: negative.trial.fold).map(\.id)
            #expect(!known.isEmpty && Set(known).isDisjoint(with: positive.truthReferences))
            #expect(negative.truthReferences.isEmpty)
            #expect(positive.query?.digest == negative.query?.digest)
            #expect(
                JudgedTrial(positive, threshold: nil).cluster == JudgedTrial(negative, threshold: nil).cluster
            )
        }
        #expect(Set(records[0].truthReferences) == ["r0.wav", "again.ogg"])
        #expect(Set(records[2].truthReferences) == ["r1.wav", "r3.wav"])
        let digests = try [nil, 2, 3].map { try bench.plan(list, folds: $0).panelDigest }
        #expect(Set(digests).count == 3)
    }

    @Test func halvesShareNoQueryAndNoRightReference() throws {
        let bench = try Bench()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for seed in UInt64(10)..<40 {
            let piece = SyntheticMusic(seed: seed, seconds: 2).render()
            try bench.own.write(piece, to: "r\(seed).wav")
            try AudioFile.write(piece.frames(0..<44_100), to: "\(bench.queries)/q\(seed).wav", as: wav)
        }
        // Query 10 is also in the next reference, so both are in one half.
        let rows = (10..<40).map { "q\($0),r\($0)\n" } + ["q10,r11\n", "stranger,\n", "q0,\n"]
        let list = "query,reference\n" + rows.joined()
        let plans = try [.tuning, .test, nil].map { try bench.plan(list, half: $0, folds: 2) }
        func queries(_ plan: Plan) -> Set<String> { Set(plan.trials.compactMap { $0.recorded?.name }) }
        func rights(_ plan: Plan) -> Set<String> {
            Set(plan.trials.flatMap { ($0.recorded?.rights ?? []).map(\.id) })
        }
        #expect(queries(plans[0]).isDisjoint(with: queries(plans[1])))
        #expect(rights(plans[0]).isDisjoint(with: rights(plans[1])))
        #expect(queries(plans[0]).union(queries(plans[1])) == queries(plans[2]))
        #expect(Set(plans.map(\.digest)).count == 3)
        for plan in plans {
            // All references stay enrolled but those of a fold.
            #expect(plan.references(leavingOut: nil).count == 34)
            for trial in plan.trials where trial.fold != nil {
                let known = Set(plan.references(leavingOut: trial.fold).map(\.id))
                #expect(known.isDisjoint(with: trial.recorded?.rights.map(\.id) ?? []), "\(trial.id)")
            }
            #expect(plan.trials.count { $0.isPositive } == plan.trials.count { $0.fold != nil })
        }
    }

    @Test func thePlanIsTheSameWhereverItsFilesLie() throws {
        let list = "query,reference\nq0.wav,r0\nq1.wav,r1\n"
        let one = try Bench().plan(list)
        let other = try Bench().plan(list)
        #expect(one.digest == other.digest && one.trials.map(\.id) == other.trials.map(\.id))
        #expect(try Bench().plan("query,reference\nq0.wav,r0\nq1.wav,r2\n").digest != one.digest)
    }
}

extension RecordedFolder {
    fileprivate func records(_ plan: Plan) throws -> [TrialRecord] {
        let run = EvaluationRun(
            plan: plan, material: try CorpusMaterial(library: own.library, music: nil),
            contestant: Contestants.earshot, jobs: 2, folder: own.folder.path,
            cache: try TrialCache(folder: own.folder.file("trials"), archiveBytes: 1 << 20))
        let store = try TrialStore(path: own.folder.file("\(UUID().uuidString).sqlite"))
        let key = TrialStore.RunKey(plan: plan.digest, matcher: "m")
        let facts = try RunFacts(
            plan: plan, matcher: .init(Contestants.earshot, digest: key.matcher), jobs: 2,
            request: RunRequest(), notes: [])
        try run.run(store: store, key: key, facts: facts)
        return try store.records(of: key)
    }
}
