import Evaluation
import Foundation
import Matchers
import TestSupport
import Testing

@Suite struct TrialStoreTests {
    static func record(_ index: Int) -> TrialRecord {
        var record = TrialRecord(
            trialID: "cell/p\(index)", index: index, degradation: "noise", severity: "0 dB", severityValue: 0,
            lengthSeconds: 5, isPositive: true, source: "a", sourceClass: "a", truthReferences: ["a"],
            truth: .init(
                offsetSeconds: 0.1 + 0.2, frequencySkew: 1e-17, timeSkew: -0.05, skewChangePerSecond: 0),
            redraws: 1, chain: "[]", querySampleRate: 44_100,
            queryChannels: 2, queryFrames: 220_500, queryDigest: "00",
            candidates: [Candidate(referenceID: "a", offsetSeconds: .pi, score: 1 / 3, isAccepted: true)],
            isOffered: true)
        record.snrDecibels = 0.0001
        record.snrDecibelsTo4kHz = 7.4
        return record
    }

    private let key = TrialStore.RunKey(plan: "p", matcher: "m")

    @Test func returnsStoredRecordsInPlanOrder() throws {
        let folder = try TemporaryFolder()
        let store = try TrialStore(path: folder.path + "/s.sqlite")
        for index in [2, 0, 1] { try store.save(Self.record(index), of: key) }
        try store.saveLatency(1.5, processor: 0.75, trial: "cell/p1", of: key)
        var expected = (0..<3).map(Self.record)
        expected[1].matchMilliseconds = 1.5
        expected[1].processorMilliseconds = 0.75
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

    @Test func oneFolderServesOneRunAtATime() throws {
        let folder = try TemporaryFolder()
        let first = try RunFolder(path: folder.path + "/run")
        #expect(throws: StoreError.self) { try RunFolder(path: folder.path + "/run") }
        _ = first.store
        #expect(throws: StoreError.self) { try RunFolder(existing: folder.path + "/none") }
    }
}
