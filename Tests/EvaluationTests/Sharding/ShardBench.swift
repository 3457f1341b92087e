import Evaluation
import Foundation
import TestSupport

/// Folders of shards of a simulated run of 20 trials, as an evaluation writes them.
struct ShardBench {
    static let trialCount = 20
    static let key = TrialStore.RunKey(plan: "plan digest", matcher: "answers digest")

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static func records() -> [TrialRecord] {
        (0..<trialCount).map { index in
            var record = TrialStoreTests.record(index)
            record.query?.digest = "digest \(index)"
            if index.isMultiple(of: 3) {
                record.latency = .init(
                    milliseconds: 1 + Double(index) / 7, calibrationMilliseconds: 2,
                    processorMilliseconds: 0.5)
            }
            return record
        }
    }

    static func facts() -> RunFacts {
        var facts = RunFacts(
            Provenance(
                matcher: .init(
                    name: "earshot", version: "1", settings: ["a": "1"], digest: key.matcher),
                planName: "tiny", planDigest: key.plan, planPath: "tiny.yaml",
                request: RunRequest(
                    plan: "tiny", matcher: .init(settings: [.init(name: "a", value: 1)])),
                corpusName: "synthetic", corpusDigest: "lock", half: .test, seed: 5, notes: ["a note"],
                commit: "c0ffee", machine: machine, toolVersions: ["fftw": "3"],
                startedAt: "2026-01-02T00:00:00Z"))
        facts.wallSeconds = 4
        facts.jobs = 1
        facts.referenceCount = 3
        facts.referenceSeconds = 60
        facts.indexBytes = 100
        facts.enrolSeconds = 2
        facts.trialCount = trialCount
        facts.decodeSecondsTotal = 1
        facts.decodedAudioSeconds = 60
        facts.cachedAnswers = 2
        facts.stageSeconds = ["queries": 2, "matching": 1]
        facts.stageTrialCount = 5
        return facts
    }

    static let machine = RunFacts.Machine(
        processor: "AMD EPYC", logicalCores: 2, memoryBytes: 8, operatingSystem: "Debian", kernel: "6",
        revision: "AuthenticAMD 25 17 1", features: ["avx", "avx2", "fma"])

    /// Writes the folder of a shard and returns its path.
    ///
    /// - Parameters:
    ///   - done: The number of finished trials; all by default. With fewer there are no facts, as after a kill.
    ///   - change: A change of the facts of the run.
    @discardableResult
    func shard(
        _ number: Int, of count: Int, in name: String? = nil, done: Int? = nil,
        _ change: (inout RunFacts, inout [TrialRecord]) -> Void = { _, _ in }
    ) throws -> String {
        let path = folder.file(name ?? "shard-\(number)")
        let run = try RunFolder(path: path)
        var facts = Self.facts()
        facts.shard = Shard(number: number, count: count)
        var records = Self.records().filter { facts.shard?.holds(trialAt: $0.trial.index) ?? true }
        change(&facts, &records)
        let key = TrialStore.RunKey(plan: facts.planDigest, matcher: facts.matcher.digest)
        try run.store.begin(facts, of: key)
        for record in records.prefix(done ?? records.count) {
            try run.store.save(record.withoutLatency, of: key)
            guard let latency = record.latency else { continue }
            try run.store.save(latency, of: record.trial.id, in: key)
        }
        if done == nil { try run.store.save(facts, of: key) }
        return path
    }

    func shards(of count: Int) throws -> [String] { try (1...count).map { try shard($0, of: count) } }

    func merge(_ paths: [String]) throws -> (records: [TrialRecord], facts: RunFacts, set: ShardSet) {
        let set = try ShardSet(folders: paths)
        let store = try TrialStore(path: folder.file("merged-\(UUID().uuidString).sqlite"))
        let run = try set.merge(into: store)
        return (try store.records(of: run.key), run.facts, set)
    }

    func refusal(_ paths: [String]) -> String {
        do {
            _ = try merge(paths)
            return "merged"
        } catch {
            return "\(error)".replacing(folder.path + "/", with: "")
        }
    }
}
