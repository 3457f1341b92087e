import Corpora
import Evaluation
import EvaluationTestSupport
import Foundation
import GRDB
import Synchronization
import SystemIO
import TestSupport
import Testing

@Suite struct StudyRunTests {
    private struct Interruption: Error {}

    private static let trials = (0..<8).map { StudyRun.Trial(id: "t\($0)", source: "s\($0 % 3)") }

    /// The positions that were asked about, in the order of the calls.
    private final class Log: Sendable {
        private let positions = Mutex<[Int]>([])

        var asked: [Int] { positions.withLock { $0 } }

        func ask(_ position: Int, limit: Int) throws -> Int {
            try positions.withLock { positions in
                guard positions.count < limit else { throw Interruption() }
                positions.append(position)
            }
            return position * position
        }
    }

    /// Squares of the positions.
    private func outcomes(
        _ run: StudyRun, _ log: Log = Log(), failingAfter limit: Int = .max, jobs: Int = 1
    ) throws -> [Int] {
        try run.outcomes(of: Self.trials, stage: "trials", jobs: jobs) { { try log.ask($0, limit: limit) } }
    }

    @Test func outcomesComeInTheOrderOfTheTrialsOnAnyNumberOfThreads() throws {
        for jobs in [1, 3] {
            let log = Log()
            #expect(
                try outcomes(StudyFixture().run(), log, jobs: jobs) == (0..<8).map { $0 * $0 })
            #expect(log.asked.sorted() == Array(0..<8))
        }
    }

    @Test(arguments: 0...8) func anInterruptedStudyAsksOnlyAboutWhatIsMissing(done: Int) throws {
        let fixture = try StudyFixture()
        let first = Log()
        if done < 8 {
            #expect(throws: Interruption.self) {
                try outcomes(fixture.run(), first, failingAfter: done)
            }
        } else {
            _ = try outcomes(fixture.run(), first)
        }
        let second = Log()
        #expect(try outcomes(fixture.run(), second) == (0..<8).map { $0 * $0 })
        #expect(first.asked.count == done)
        #expect(Set(first.asked).isDisjoint(with: second.asked))
        #expect(first.asked.count + second.asked.count == 8)
    }

    @Test func freshForgetsAndAnotherIdentityStartsAtNothing() throws {
        let fixture = try StudyFixture()
        for (isFresh, identity) in [(false, ["a"]), (true, ["a"]), (false, ["b"])] {
            let log = Log()
            _ = try outcomes(fixture.run(of: MadeUpStudy(identity: identity), isFresh: isFresh), log)
            #expect(log.asked.count == 8)
        }
    }

    @Test func shardsTogetherAreTheWholeStudy() throws {
        let fixture = try StudyFixture()
        let log = Log()
        for number in 1...3 {
            let shard = try #require(Shard(number: number, count: 3))
            _ = try outcomes(fixture.run("shard-\(number)", shard: shard), log)
        }
        #expect(log.asked.sorted() == Array(0..<8))
        // A task may have run twice.
        _ = try outcomes(fixture.run("twin", shard: Shard(number: 1, count: 3)))
        let merged = try RunFolder(path: fixture.path("merged"))
        let set = try ShardSet(folders: (["twin"] + (1...3).map { "shard-\($0)" }).map { fixture.path($0) })
        _ = try set.merge(into: merged.store)
        let study = try merged.finishedStudy()
        #expect(study.facts.shard == nil && study.facts.trialCount == 8 && set.remarks.count == 1)
        #expect(
            try merged.store.contents(Int.self, as: .trial, in: study.key).map(\.content)
                == (0..<8).map { $0 * $0 })
        #expect(try study.facts.settings(as: [Int].self) == MadeUpStudy().settings)
        #expect(throws: StoreError.self) { try merged.onlyRun() }
    }

    @Test func shardsThatDoNotBelongTogetherAreRefused() throws {
        let fixture = try StudyFixture()
        let log = Log()
        let halves = try (1...2).map { try #require(Shard(number: $0, count: 2)) }
        _ = try outcomes(fixture.run("one", shard: halves[0]), log)
        _ = try outcomes(fixture.run("other", shard: halves[1], seed: 2), log)
        _ = try fixture.run("unfinished", shard: halves[1])
        _ = try outcomes(fixture.run("third", shard: Shard(number: 2, count: 3)), log)
        _ = try outcomes(fixture.run("rest", shard: halves[1]))
        _ = try outcomes(fixture.run("whole"))
        _ = try fixture.run("twin", shard: halves[0]).outcomes(of: Self.trials, stage: "") { { _ in -1 } }
        for (folders, reason) in [
            (["one"], "shard 2/2 is missing"), (["one", "other"], "a shard of another study"),
            (["one", "unfinished"], "shard 2/2 is not finished: 4 of its 4 trials are missing"),
            (["one", "third"], "number of shards 3 against 2"), (["one", "whole"], "a whole study"),
            (["one", "rest", "twin"], "ran twice with different results"),
        ] {
            let merged = try RunFolder(path: fixture.path("merged-\(reason)"))
            let error = #expect(throws: MergeError.self) {
                try ShardSet(folders: folders.map { fixture.path($0) }).merge(into: merged.store)
            }
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
            #expect(error?.missing.isEmpty == true, "only an evaluation has a command that says everything")
        }
        #expect(throws: StoreError.self) { try ShardSet(folders: [fixture.path("nothing")]) }
        #expect(throws: StoreError.self) { try fixture.run("one", shard: halves[1]) }
        #expect(throws: StoreError.self) { try fixture.run("one") }
    }

    @Test func aFolderBelongsToOneProcessAtATime() throws {
        let fixture = try StudyFixture()
        let run = try fixture.run()
        #expect(throws: StoreError.self) { try RunFolder(path: fixture.path()) }
        withExtendedLifetime(run) {}
    }

    /// Turns the store of a folder into that of version 3: another file, and other kinds of rows.
    private func makeEarlier(_ fixture: StudyFixture) throws {
        let store = fixture.path() + "/trials.sqlite"
        let queue = try DatabaseQueue(path: store)
        try queue.write { database in
            for row in try Row.fetchAll(database, sql: "SELECT * FROM record") {
                let (plan, matcher, trial): (String, String, String) = (
                    row["plan"], row["matcher"], row["trial"]
                )
                var (kind, name, content): (String, String, Data) = ("outcome", trial, row["content"])
                if row["kind"] == "beginning" {
                    let facts = try JSONDecoder().decode(RunFacts.self, from: content)
                    let origin = String(decoding: try JSONEncoder().encode(facts.provenance), as: UTF8.self)
                    let settings = Data("[1024]".utf8).base64EncodedString()
                    (kind, name) = ("study", "")
                    content = Data(
                        #"{"study":"made up","settings":"\#(settings)","origin":\#(origin),"trialCount":8}"#
                            .utf8)
                }
                let hash = Digest()
                hash.update(
                    [plan, matcher, kind, name, "\(row["position"] as Int)"].joined(separator: "\n") + "\n")
                hash.update(content)
                try database.execute(
                    sql: "DELETE FROM record WHERE plan = ? AND trial = ? AND kind = ?",
                    arguments: [plan, trial, row["kind"] as String])
                try database.execute(
                    sql: "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        plan, matcher, kind, name, row["position"] as Int, content,
                        hash.finalize().hexadecimal,
                    ])
            }
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'run store 4'")
        }
        try queue.close()
        try FileManager.default.moveItem(atPath: store, toPath: fixture.path() + "/study.sqlite")
    }

    @Test func aStudyOfTheEarlierLayoutIsReadAndGoesOn() throws {
        let fixture = try StudyFixture()
        let log = Log()
        #expect(throws: Interruption.self) { try outcomes(fixture.run(), log, failingAfter: 5) }
        let before = try RunFolder(reading: fixture.path()).onlyStudy()
        try makeEarlier(fixture)
        let study = try RunFolder(reading: fixture.path()).onlyStudy()
        #expect(study.key == before.key && study.facts == before.facts && study.doneCount == 5)
        #expect(try outcomes(fixture.run(), log) == (0..<8).map { $0 * $0 })
        #expect(log.asked.count == 8)
        #expect(try RunFolder(existing: fixture.path()).finishedStudy().facts.trialCount == 8)
    }
}
