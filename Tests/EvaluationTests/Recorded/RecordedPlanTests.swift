import AudioCore
import AudioIO
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import SystemIO
import TestSupport
import Testing

@Suite struct RecordedPlanTests {
    /// Four references, and a folder with a cut of each of the first two and of another recording.
    private final class Bench {
        let own: OwnRecordings
        let queries: String
        let startSeconds = [2.5, 6.25]

        init() throws {
            own = try OwnRecordings()
            queries = try own.folder.makeFolder("queries")
            for seed in UInt64(0)..<4 { try own.write(OwnRecordings.piece(seed), to: "r\(seed).wav") }
            let encoding = try #require(AudioEncoding("wav-pcm16"))
            for (seed, start) in startSeconds.enumerated() {
                let first = Int(start * 44_100)
                let cut = OwnRecordings.piece(UInt64(seed)).frames(first..<(first + 4 * 44_100))
                try AudioFile.write(cut, to: "\(queries)/q\(seed).wav", as: encoding)
            }
            let stranger = OwnRecordings.piece(7).frames(0..<(4 * 44_100))
            try AudioFile.write(stranger, to: "\(queries)/stranger.wav", as: encoding)
        }

        func plan(_ list: String, references: String? = nil) throws -> Plan {
            let path = "\(queries)/list.csv"
            try AtomicFile.write(list, to: path)
            let referenceList = own.folder.file("references.txt")
            if let references { try AtomicFile.write(references, to: referenceList) }
            var library = own.library
            library.comparison = own.comparison
            return try Plan(
                RecordedQueries(
                    list: path, references: own.music,
                    referenceList: references.map { _ in referenceList }, library: library))
        }

        func records(_ plan: Plan) throws -> [TrialRecord] {
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

    @Test func thePlanIsTheSameWhereverItsFilesLie() throws {
        let list = "query,reference\nq0.wav,r0\nq1.wav,r1\n"
        let one = try Bench().plan(list)
        let other = try Bench().plan(list)
        #expect(one.digest == other.digest && one.trials.map(\.id) == other.trials.map(\.id))
        #expect(try Bench().plan("query,reference\nq0.wav,r0\nq1.wav,r2\n").digest != one.digest)
    }
}
