import AudioCore
import Corpora
import Evaluation
import Foundation
import GRDB
import Matchers
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct TrialCacheTests {
    private static let planText = """
        name: t
        corpus: synthetic
        seed: 9
        positives: 2
        negatives: 1
        lengthSeconds: 2
        latencyTrials: 0
        families:
          - name: clean
          - {name: gain, unit: dB, severities: [-6], chain: [{gain: {decibels: $severity}}]}
          - {name: noise, unit: dB, severities: [0], chain: [{noise: {colour: white, snrDecibels: $severity}}]}
        """

    /// Names the reference whose first samples are most similar, and counts its queries.
    private final class Counting: Matcher {
        let name = "counting"
        let version: String
        let settings: [String: String] = [:]
        static let asked = Mutex<[String]>([])

        init(version: String) { self.version = version }
        func enrol(id: String, audio: AudioBuffer) {}
        func finishEnrolment() -> Int? { 0 }
        func identify(_ query: Query) -> [Candidate] {
            Self.asked.withLock {
                $0.append("\(version) \(query.audio.frameCount) \(query.audio.samples[100])")
            }
            return [
                Candidate(
                    referenceID: "none", offsetSeconds: Double(query.audio.samples[100]), score: 1,
                    isAccepted: false)
            ]
        }
    }

    private struct Bench {
        let folder: TemporaryFolder
        let corpus: Corpus
        let material: CorpusMaterial

        init() throws {
            folder = try TemporaryFolder()
            let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
            corpus = try Corpus.open(named: "synthetic", in: library)
            material = try CorpusMaterial(library: library, music: corpus)
        }

        /// The records, and the number of queries.
        func run(
            _ text: String, version: String, archiveBytes: Int = 1 << 30,
            warn: @escaping @Sendable (String) -> Void = { _ in }
        ) throws -> ([TrialRecord], Int) {
            let (store, key) = try finished(text, version, archiveBytes, warn)
            return (try store.records(of: key), Counting.asked.withLock { $0.count })
        }

        func facts(_ text: String, version: String) throws -> RunFacts {
            try #require(finished(text, version, 1 << 30) { _ in }.store.runs().first?.facts)
        }

        private func finished(
            _ text: String, _ version: String, _ archiveBytes: Int,
            _ warn: @escaping @Sendable (String) -> Void
        ) throws -> (store: TrialStore, key: TrialStore.RunKey) {
            let plan = try Plan(
                file: PlanFile(text: text, name: "t.yaml"), corpus: corpus, material: material)
            let contestant = Contestant(name: "counting", summary: "") { Counting(version: version) }
            let cache = try TrialCache(
                folder: folder.path + "/cache", archiveBytes: archiveBytes, warn: warn)
            let number = UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(number)", withIntermediateDirectories: true)
            let store = try TrialStore(path: "\(folder.path)/\(number)/s.sqlite")
            let key = TrialStore.RunKey(plan: plan.digest, matcher: version)
            let facts = try RunFacts(
                plan: plan, matcher: .init(contestant, digest: key.matcher), jobs: 2, request: RunRequest(),
                notes: [])
            Counting.asked.withLock { $0 = [] }
            try EvaluationRun(
                plan: plan, material: material, contestant: contestant, jobs: 2,
                folder: "\(folder.path)/\(number)", cache: cache
            ).run(store: store, key: key, facts: facts)
            return (store, key)
        }

        var archived: [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache/queries").sorted())
                ?? []
        }
    }

    /// Serial, because all tests share one counter.
    @Test func onlyWhatChangedIsDoneAgain() throws {
        let bench = try Bench()
        let (first, asked) = try bench.run(Self.planText, version: "1")
        #expect(asked == 9)
        #expect(bench.archived == Set(first.compactMap(\.query?.digest)).sorted())

        let (again, askedAgain) = try bench.run(Self.planText, version: "1")
        #expect(again.map(\.withoutCircumstances) == first)
        #expect(again.allSatisfy { $0.cachedCommit == Provenance.currentCommit })
        #expect(askedAgain == 0)

        // Another matcher is asked again, about the same samples.
        let (other, askedOther) = try bench.run(Self.planText, version: "2")
        #expect(other == first)
        #expect(askedOther == 9)

        // Another gain changes its own trials only.
        let changed = Self.planText.replacing("[-6]", with: "[-12]")
        let (louder, askedLouder) = try bench.run(changed, version: "1")
        #expect(askedLouder == 3)
        #expect(zip(louder, first).count { $0.query?.digest != $1.query?.digest } == 3)
    }

    @Test func aRunCountsTheAnswersOfTheCacheAndNamesTheirCommit() throws {
        let bench = try Bench()
        #expect(try bench.facts(Self.planText, version: "1").cachedAnswers == 0)
        let half = Self.planText.replacing("[-6]", with: "[-12]")
        let facts = try bench.facts(half, version: "1")
        #expect(facts.cachedAnswers == 6 && facts.cacheCommits == [Provenance.currentCommit])
    }

    /// Each damage alone makes a row count as missing, and the next run writes it again.
    @Test(arguments: [
        "UPDATE query SET facts = replace(CAST(facts AS TEXT), '\"redraws\":0', '\"redraws\":7')",
        // Values that once stopped the process.
        "UPDATE query SET facts = replace(facts, '\"frameCount\":', '\"frameCount\":4611686018427387904,\"x\":')",
        "UPDATE query SET facts = replace(facts, '\"sampleRate\":', '\"sampleRate\":0,\"x\":')",
        "UPDATE query SET facts = NULL", "UPDATE query SET facts = 7", "UPDATE query SET digest = 7",
        "UPDATE answer SET candidates = replace(CAST(candidates AS TEXT), '\"none\"', '\"some\"')",
        "UPDATE answer SET candidates = 'no JSON'", "UPDATE answer SET commitName = 'another'",
        "UPDATE answer SET digest = x'00'",
    ])
    func aDamagedRowCountsAsMissing(_ damage: String) throws {
        let bench = try Bench()
        let (first, _) = try bench.run(Self.planText, version: "1")
        let path = bench.folder.path + "/cache/trials.sqlite"
        try DatabaseQueue(path: path).write { try $0.execute(sql: damage) }
        let (again, asked) = try bench.run(Self.planText, version: "1")
        #expect(again.map(\.withoutCircumstances) == first)
        #expect(asked == (damage.contains("UPDATE answer") ? 9 : 0))
        let (last, askedLast) = try bench.run(Self.planText, version: "1")
        #expect(last.map(\.withoutCircumstances) == first && askedLast == 0)
    }

    @Test func theArchiveKeepsToItsSizeAndMissesAreRenderedAgain() throws {
        let bench = try Bench()
        let (first, _) = try bench.run(Self.planText, version: "1", archiveBytes: 0)
        #expect(bench.archived.isEmpty)
        let query = try #require(first[0].query)
        let oneQuery = query.frameCount * query.channelCount * 4
        let (again, asked) = try bench.run(Self.planText, version: "2", archiveBytes: 4 * oneQuery)
        #expect(again == first)
        #expect(asked == 9)
        #expect(bench.archived.count == 4)
        // A damaged file is no query.
        let path = bench.folder.path + "/cache/queries/" + bench.archived[0]
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[100] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(try bench.run(Self.planText, version: "3", archiveBytes: 4 * oneQuery).0 == first)
    }

    @Test func aCacheOnAFullDiskIsSwitchedOffAndTheFiguresStay() throws {
        let bench = try Bench()
        let (first, _) = try bench.run(Self.planText, version: "1")
        try DatabaseQueue(path: bench.folder.path + "/cache/trials.sqlite").write {
            try $0.execute(
                sql: """
                    DELETE FROM query; DELETE FROM answer;
                    CREATE TRIGGER full BEFORE INSERT ON answer BEGIN SELECT RAISE(ABORT, 'disk is full'); END
                    """)
        }
        let warnings = Mutex<[String]>([])
        let (again, _) = try bench.run(Self.planText, version: "1") { text in
            warnings.withLock { $0.append(text) }
        }
        #expect(again == first)
        #expect(warnings.withLock { $0.count } == 1)
        #expect(warnings.withLock { $0.first?.contains("switched off") } == true)
    }

    @Test func aCacheOfALaterVersionIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/trials.sqlite"
        _ = try TrialCache(folder: folder.path, archiveBytes: 0)
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')")
        }
        let error = #expect(throws: StoreError.self) {
            _ = try TrialCache(folder: folder.path, archiveBytes: 0)
        }
        #expect(error?.description == "\(path): \(Release.newer)")
    }
}
