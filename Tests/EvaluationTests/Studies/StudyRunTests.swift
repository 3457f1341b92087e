import Corpora
import Evaluation
import Foundation
import GRDB
import Studies
import Synchronization
import TestSupport
import Testing

/// A study in a folder that the test owns.
struct StudyFixture {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func path(_ name: String = "study") -> String { folder.path + "/" + name }

    func run(
        _ name: String = "study", of study: some Study = MadeUpStudy(), matcher: String = "d",
        shard: Shard? = nil, seed: UInt64 = 1, isFresh: Bool = false, jobs: Int = 2
    ) throws -> StudyRun {
        try StudyRun(
            of: study, in: path(name),
            origin: Provenance(
                matcher: .init(name: "made up", version: "1", settings: [:], digest: matcher), planName: "p",
                request: RunRequest(), corpusName: "synthetic", corpusDigest: "c", half: .test, seed: seed,
                commit: "none", toolVersions: [:], startedAt: "\(Date())"),
            shard: shard, isFresh: isFresh, jobs: jobs)
    }

    /// Deletes all outcomes but the first `count`, as if the study had been killed after them.
    func forgetOutcomes(of name: String = "study", after count: Int) throws {
        try DatabaseQueue(path: path(name) + "/study.sqlite").write { database in
            try database.execute(
                sql: "DELETE FROM record WHERE kind = 'outcome' AND position >= ?",
                arguments: [count])
        }
    }
}

struct MadeUpStudy: Study {
    static let name = "made up"
    var settings = [1024]
    var identity = ["study"]
    var trialCount = 8
}

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
        let merged = try StudyFolder(path: fixture.path("merged"))
        // A shard may be named twice.
        try merged.merge((0...3).map { fixture.path("shard-\(max(1, $0))") })
        let (key, facts) = try merged.onlyStudy()
        #expect(facts.shard == nil && facts.trialCount == 8)
        #expect(
            try merged.store.contents(Int.self, as: .outcome, in: key).map(\.content)
                == (0..<8).map { $0 * $0 })
    }

    @Test func shardsThatDoNotBelongTogetherAreRefused() throws {
        let fixture = try StudyFixture()
        let log = Log()
        let halves = try (1...2).map { try #require(Shard(number: $0, count: 2)) }
        _ = try outcomes(fixture.run("one", shard: halves[0]), log)
        _ = try outcomes(fixture.run("other", shard: halves[1], seed: 2), log)
        _ = try fixture.run("unfinished", shard: halves[1])
        _ = try outcomes(fixture.run("third", shard: Shard(number: 2, count: 3)), log)
        _ = try fixture.run("twin", shard: halves[0]).outcomes(of: Self.trials, stage: "") { { _ in -1 } }
        for (folders, reason) in [
            (["one"], "missing"), (["one", "other"], "another study"),
            (["one", "unfinished"], "not finished"),
            (["one", "nothing"], "no study"), (["one", "third"], "one of 3 shards"),
            (["one", "twin"], "ran twice with different results"),
        ] {
            let merged = try StudyFolder(path: fixture.path("merged-\(reason)"))
            let error = #expect(throws: MergeError.self) {
                try merged.merge(folders.map { fixture.path($0) })
            }
            #expect(error?.description.contains(reason) == true)
        }
        #expect(throws: StoreError.self) { try fixture.run("one", shard: halves[1]) }
        #expect(throws: StoreError.self) { try fixture.run("one") }
    }

    @Test func aFolderBelongsToOneProcessAtATime() throws {
        let fixture = try StudyFixture()
        let run = try fixture.run()
        #expect(throws: StoreError.self) { try StudyFolder(path: fixture.path()) }
        withExtendedLifetime(run) {}
    }
}
