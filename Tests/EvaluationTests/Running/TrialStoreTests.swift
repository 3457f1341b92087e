import AudioCore
import Degradations
import Evaluation
import Foundation
import Matchers
import TestSupport
import Testing

@Suite struct TrialStoreTests {
    /// A record without answers of a query of 5 s.
    static func record(
        _ id: String, _ index: Int, _ degradation: String, _ severity: String, isPositive: Bool,
        source: String, references: [String], truth: Truth
    ) -> TrialRecord {
        let cell = Cell(degradation: degradation, severity: severity, severityValue: nil, lengthSeconds: 5)
        var record = TrialRecord(
            Trial(
                id: id, index: index, cell: cell, isPositive: isPositive, source: source,
                chain: DegradationChain(steps: []), startSeed: 0))
        record.sourceClass = source
        record.query = QueryFacts(
            RenderedQuery(
                Clip(AudioBuffer(silentFrames: 1, sampleRate: 44_100, channelCount: 1)), stated: truth))
        record.query?.frameCount = 220_500
        if isPositive {
            record.truthReferences = references
            record.truthOffsetDeltas = Dictionary(uniqueKeysWithValues: references.map { ($0, 0) })
        }
        return record
    }

    static func record(_ index: Int) -> TrialRecord {
        var record = record(
            "cell/p\(index)", index, "noise", "0 dB", isPositive: true, source: "a", references: ["a"],
            truth: .init(
                offsetSeconds: 0.1 + 0.2, frequencySkew: 1e-17, timeSkew: -0.05, skewChangePerSecond: 0))
        record.trial.cell.severityValue = 0
        record.candidates = [
            Candidate(referenceID: "a", offsetSeconds: .pi, score: 1 / 3, isAccepted: true)
        ]
        record.query?.redraws = 1
        record.query?.snrDecibels = 0.0001
        record.query?.snrDecibelsTo4kHz = 7.4
        return record
    }

    private let key = TrialStore.RunKey(plan: "p", matcher: "m")

    @Test func anAnswerWithoutAPositionIsStored() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        var record = Self.record(0)
        record.candidates[0].offsetSeconds = nil
        try store.save(record, of: key)
        #expect(try store.records(of: key) == [record])
    }

    @Test func returnsStoredRecordsInPlanOrder() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        for index in [2, 0, 1] { try store.save(Self.record(index), of: key) }
        let latency = TrialRecord.Latency(milliseconds: 1.5, processorMilliseconds: 0.75)
        try store.save(latency, of: "cell/p1", in: key)
        var expected = (0..<3).map(Self.record)
        expected[1].latency = latency
        #expect(try store.records(of: key) == expected)
        #expect(try store.finishedTrials(of: key) == ["cell/p0", "cell/p1", "cell/p2"])
        #expect(try store.timedTrials(of: key) == ["cell/p1"])
        #expect(try store.records(of: .init(plan: "p", matcher: "other")).isEmpty)
    }

    @Test func outlivesItsProcess() throws {
        let folder = try TemporaryFolder()
        try TrialStore(path: folder.path + "/s.sqlite").save(Self.record(0), of: key)
        #expect(try TrialStore(path: folder.path + "/s.sqlite").records(of: key) == [Self.record(0)])
    }

    @Test func aRunWithFewerTrialsThanItSaysIsRefused() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        var facts = ShardBench.facts()
        facts.trialCount = 3
        for index in 0..<2 { try store.save(Self.record(index), of: key) }
        let error = #expect(throws: StoreError.self) { try store.records(of: key, facts) }
        #expect(error?.description.contains("holds 2 of 3 trials") == true)
        try store.save(Self.record(2), of: key)
        #expect(try store.records(of: key, facts).count == 3)
    }

    @Test func timesThatNoRecordingHasAreRefused() throws {
        func refusal(_ change: (inout TrialRecord) -> Void) throws -> String? {
            let folder = try TemporaryFolder()
            let store = try TrialStore(path: folder.path + "/s.sqlite")
            var record = Self.record(0)
            change(&record)
            try store.save(record, of: key)
            let error = #expect(throws: StoreError.self) { try store.records(of: key) }
            return error?.description
        }
        #expect(try refusal { $0.candidates[0].offsetSeconds = 1e308 }?.contains("1e+308") == true)
        #expect(try refusal { $0.candidates[0].offsetSeconds = -1e308 }?.contains("-1e+308") == true)
        #expect(try refusal { $0.query?.truth.offsetSeconds = 1e308 }?.contains("1e+308") == true)
        #expect(try refusal { $0.query?.sampleRate = 0 }?.contains("at 0 Hz") == true)
        #expect(try refusal { $0.query?.frameCount = 1 << 62 }?.contains("frames") == true)
    }

    @Test func readingACopyLeavesTheFolderAsItIs() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.sqlite"
        let writing = try TrialStore(path: path)
        // As after a kill: the records are in the write-ahead log only.
        try writing.save(Self.record(0), of: key)
        let before = try Self.contents(folder)
        #expect(before.keys.contains("s.sqlite-wal"))
        let copy = try TrialStore(copying: path)
        #expect(try copy.records(of: key) == [Self.record(0)])
        try copy.save(Self.record(1), of: key)
        #expect(try Self.contents(folder) == before)
        #expect(try writing.finishedTrials(of: key) == ["cell/p0"])
    }

    private static func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: folder.names().filter { !$0.hasSuffix("-shm") }.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: folder.file($0))))
            })
    }

    @Test func onlyFailedTrialsAreAskedAgain() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        var failed = Self.record(1)
        failed.error = "the matcher died"
        for record in [Self.record(0), failed, Self.record(2)] { try store.save(record, of: key) }
        try store.forgetErrors(of: key)
        #expect(try store.finishedTrials(of: key) == ["cell/p0", "cell/p2"])
    }

    @Test func deletesOnlyTheGivenRun() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        let other = TrialStore.RunKey(plan: "q", matcher: "m")
        try store.save(Self.record(0), of: key)
        try store.save(Self.record(0), of: other)
        try store.forget(key)
        #expect(try store.records(of: key).isEmpty)
        #expect(try store.records(of: other).count == 1)
    }

    @Test func aFileThatIsNoStoreIsNamed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.sqlite"
        try Data("this is text, not a database, and long enough to tell".utf8).write(
            to: URL(fileURLWithPath: path))
        let error = try #require(throws: StoreError.self) { try TrialStore(path: path) }
        #expect(error.description.hasPrefix(path))
    }

    @Test func aStoreWithFlippedBitsIsRefusedOrGivesTheSameRecords() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.sqlite"
        var expected = (0..<20).map(Self.record)
        do {
            let store = try TrialStore(path: path)
            for index in expected.indices {
                expected[index].latency = .init(milliseconds: Double(index) + 0.5)
                try store.save(expected[index], of: key)
                try store.save(
                    .init(milliseconds: Double(index) + 0.5), of: expected[index].trial.id, in: key)
            }
        }
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try TrialStore(copying: path).records(of: key) == expected)
        var random = SeededGenerator(seed: 1)
        var refused = 0
        for _ in 0..<300 {
            var damaged = sound
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
            try damaged.write(to: URL(fileURLWithPath: path))
            do {
                let records = try TrialStore(copying: path).records(of: key)
                #expect(records == expected)
            } catch let error as StoreError {
                #expect(error.description.hasPrefix(path))
                refused += 1
            }
        }
        #expect(refused > 100, "too few flips met a record: \(refused)")
    }

    @Test func manyMayMakeAStoreAtOnce() async throws {
        let folder = try TemporaryFolder()
        for round in 0..<5 {
            let path = folder.path + "/\(round).sqlite"
            try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask { try TrialStore(path: path).save(Self.record(index), of: key) }
                }
                try await group.waitForAll()
            }
            #expect(try TrialStore(path: path).records(of: key) == (0..<8).map(Self.record))
        }
    }

    @Test func oneFolderServesOneRunAtATime() throws {
        let folder = try TemporaryFolder()
        let first = try RunFolder(path: folder.path + "/run")
        #expect(throws: StoreError.self) { try RunFolder(path: folder.path + "/run") }
        _ = first.store
        #expect(throws: StoreError.self) { try RunFolder(existing: folder.path + "/none") }
    }
}
