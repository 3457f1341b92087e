import Evaluation
import Foundation
import TestSupport
import Testing

@Suite struct ShardMergeTests {
    @Test(arguments: [1, 2, 3, 7, 20, 23])
    func mergedShardsAreTheWholeRun(_ count: Int) throws {
        let bench = try ShardBench()
        let paths = try bench.shards(of: count)
        let (records, facts, set) = try bench.merge(paths.reversed())
        #expect(records == ShardBench.records())
        #expect(set.warnings.isEmpty && set.remarks.isEmpty)
        #expect(facts.shard == nil && facts.notes == ["a note"] && facts.machine == ShardBench.machine)
        #expect(facts.latencyTrialCount == 7)
        #expect(facts.wallSeconds == 4 * Double(count) && facts.enrolSeconds == 2)
        #expect(facts.decodeSecondsTotal == Double(count) && facts.stageTrialCount == 5 * count)
        #expect(facts.stageSeconds == ["queries": 2 * Double(count), "matching": Double(count)])
        let part = RunFacts.Part(
            machine: ShardBench.machine, shards: Array(1...count), wallSeconds: 4 * Double(count),
            longestSeconds: 4)
        #expect(facts.mergedFrom == [part])
        // Except for time and place, the facts are those of a whole run.
        var whole = ShardBench.facts()
        whole.latencyTrialCount = 7
        #expect(facts.withoutCircumstances == whole.withoutCircumstances)
    }

    @Test func missingAndUnfinishedShardsAreNamedWithTheirCommands() throws {
        let bench = try ShardBench()
        let paths = [
            try bench.shard(1, of: 5), try bench.shard(2, of: 5, done: 3), try bench.shard(4, of: 5, done: 4),
        ]
        #expect(
            bench.refusal(paths) == """
                shard-2: shard 2/5 is not finished: 1 of its 4 trials are missing
                shard 3/5 is missing
                shard-4: shard 4/5 is not finished: its latencies are not all measured
                shard 5/5 is missing
                """)
        let many = bench.refusal([try bench.shard(1, of: 1000, in: "of-many")])
        #expect(many.contains("shard 21/1000") && !many.contains("shard 22/1000"))
        #expect(many.hasSuffix("and 979 more of 1000 shards"))
    }

    @Test func shardsOfOtherRunsAreRefusedWithWhatDiffers() throws {
        typealias Change = (inout RunFacts, inout [TrialRecord]) -> Void
        let changes: [(Change, String)] = [
            ({ facts, _ in (facts.seed, facts.planDigest) = (6, "other") }, "seed 6 against 5"),
            ({ facts, _ in facts.planName = "large" }, "plan large against tiny"),
            ({ facts, _ in facts.corpusName = "games" }, "corpus games against synthetic"),
            ({ facts, _ in facts.corpusDigest = "new" }, "lock of the corpus new against lock"),
            ({ facts, _ in facts.half = .tuning }, "half tuning against test"),
            ({ facts, _ in facts.planDigest = "edited" }, "digest of the plan edited against plan digest"),
            ({ facts, _ in facts.trialCount = 21 }, "number of trials 21 against 20"),
            ({ facts, _ in facts.shard = Shard(number: 2, count: 4) }, "number of shards 4 against 3"),
            ({ facts, _ in facts.matcher.name = "null" }, "matcher null against earshot"),
            ({ facts, _ in facts.matcher.version = "2" }, "version of the matcher 2 against 1"),
            ({ facts, _ in facts.matcher.settings["a"] = "2" }, "settings of the matcher a=2 against a=1"),
            (
                { facts, _ in facts.matcher.digest = "new" },
                "answers of the matcher to fixed queries new against"
            ),
        ]
        for (change, text) in changes {
            let bench = try ShardBench()
            let paths = [
                try bench.shard(1, of: 3), try bench.shard(2, of: 3, change), try bench.shard(3, of: 3),
            ]
            let refusal = bench.refusal(paths)
            #expect(
                refusal.hasPrefix("shard-2: is a shard of another run than shard-1: \(text)"), "\(refusal)")
        }
    }

    @Test func aShardThatRanTwiceCountsOnceIfBothAgree() throws {
        let bench = try ShardBench()
        let paths = try bench.shards(of: 3)
        let twin = try bench.shard(2, of: 3, in: "twin") { _, records in
            for index in records.indices { records[index].latency = .init(milliseconds: 99) }
        }
        let (records, _, set) = try bench.merge(paths + [twin])
        #expect(records == ShardBench.records())
        #expect(set.remarks.count == 1 && set.remarks[0].contains("twin: holds shard 2/3 as "))

        let killed = try bench.shard(2, of: 3, in: "killed", done: 2)
        #expect(try bench.merge([killed] + paths).records == ShardBench.records())

        let other = try bench.shard(2, of: 3, in: "other") { _, records in
            records[1].candidates[0].score = 0.25
        }
        #expect(
            bench.refusal(paths + [other])
                == "shard 2/3 ran twice with different results: shard-2 and other have other answers or truth "
                + "for trial cell/p4; name only the one to use")
        let louder = try bench.shard(2, of: 3, in: "louder") { _, records in records[0].query?.digest = "x" }
        #expect(bench.refusal([louder] + paths).contains("have other queries for trial cell/p1"))
        #expect(bench.refusal(paths + [paths[0] + "/../shard-1"]).contains("is named twice"))
    }

    @Test func otherProcessorsAreRecordedWithAWarning() throws {
        let bench = try ShardBench()
        var old = ShardBench.machine
        old.features = ["avx"]
        let machine = old
        let paths = [
            try bench.shard(1, of: 3), try bench.shard(3, of: 3),
            try bench.shard(2, of: 3) { facts, _ in
                facts.machine = machine
                facts.matcher.digest = "rounded otherwise"
            },
        ]
        let (records, facts, set) = try bench.merge(paths)
        #expect(records == ShardBench.records())
        #expect(set.warnings.count == 2 && set.warnings[0].contains("several types of processor"))
        #expect(set.warnings[0].contains("avx avx2 fma for shards 1, 3; "))
        #expect(set.warnings[0].contains("avx for shards 2."))
        #expect(facts.notes == ["a note"] + set.warnings)
        #expect(facts.machine.features == ["avx"] && facts.machine.revision == nil)
        #expect(facts.mergedFrom?.map(\.shards) == [[1, 3], [2]])

        // With other sources too, the matcher may have changed.
        let changed = try bench.shard(2, of: 3, in: "changed") { facts, _ in
            facts.machine = machine
            facts.matcher.digest = "rounded otherwise"
            facts.commit = "decaf"
        }
        #expect(bench.refusal([paths[0], paths[1], changed]).contains("answers of the matcher"))
        let library = try bench.shard(2, of: 3, in: "library") { facts, _ in
            facts.toolVersions = ["fftw": "4"]
            facts.commit = "decaf"
        }
        let texts = try ShardSet(folders: [paths[0], paths[1], library]).warnings
        #expect(texts.count == 2 && texts[0].contains("commits") && texts[1].contains("fftw 4 for shards 2"))
    }

    @Test func aShardResumedElsewhereListsBothMachines() throws {
        let bench = try ShardBench()
        try bench.shard(1, of: 2, done: 3)
        try bench.shard(1, of: 2) { facts, _ in facts.machine.features = ["neon"] }
        let set = try ShardSet(folders: [bench.folder.file("shard-1"), try bench.shard(2, of: 2)])
        #expect(set.warnings.count == 1 && set.warnings[0].contains("neon for shards 1"))
    }

    @Test func inconsistentFoldersAreRefused() throws {
        let bench = try ShardBench()
        let second = try bench.shard(2, of: 2)
        let astray = try bench.shard(1, of: 2, in: "astray") { _, records in records[3].trial.index = 7 }
        #expect(bench.refusal([astray, second]).contains("does not fall on shard 1/2"))
        let beyond = try bench.shard(1, of: 2, in: "beyond") { _, records in records[3].trial.index = 20 }
        #expect(bench.refusal([beyond, second]).contains("position 20 of 20"))
        let doubled = try bench.shard(1, of: 2, in: "doubled") { _, records in records[3].trial.index = 0 }
        #expect(bench.refusal([doubled, second]).contains("both have position 0"))
        let surplus = try bench.shard(1, of: 2, in: "surplus") { _, records in
            records.append(TrialStoreTests.record(21))
        }
        #expect(bench.refusal([surplus, second]).contains("position 21 of 20"))
        let whole = try bench.shard(1, of: 2, in: "whole") { facts, _ in facts.shard = nil }
        #expect(bench.refusal([whole, second]).contains("whole: holds a whole run, not a shard"))
        _ = try RunFolder(path: bench.folder.file("empty"))
        #expect(bench.refusal([bench.folder.file("empty"), second]).contains("empty: holds no shard"))
        #expect(bench.refusal([bench.folder.file("none"), second]).contains("none/trials.sqlite"))
        let held = try RunFolder(existing: second)
        #expect(bench.refusal([second]).contains("another evaluation"))
        _ = held.store
    }

    @Test func aFolderServesOneShard() throws {
        let bench = try ShardBench()
        try bench.shard(1, of: 3, in: "one", done: 2)
        let error = #expect(throws: StoreError.self) { try bench.shard(2, of: 3, in: "one") }
        #expect(error?.message.contains("holds shard 1/3 of this run, not shard 2/3") ?? false)
        let run = try RunFolder(existing: try bench.shard(3, of: 3))
        #expect(throws: StoreError.self) { try run.onlyRun() }
    }
}
