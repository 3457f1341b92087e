import Corpora
import Evaluation
import Foundation
import Matchers
import Studies
import TestSupport
import Testing

/// Searches with real scoring and a matcher whose best settings are known.
@Suite(.serialized) struct TuningSearchTests {
    @Test func findsTheBestSettings() throws {
        let fixture = try TuningFixture.shared.get()
        let result = try fixture.search(fixture.space(["x", "y", "z"]), candidates: 60)
        let start = try #require(result.candidates.first?.rungs.last)
        let best = try #require(result.best.rungs.last)
        #expect(start.recallAtZeroFalseAccepts < 0.3)
        #expect(best.recallAtZeroFalseAccepts > start.recallAtZeroFalseAccepts + 0.4)
        let x = try #require(result.best.settings["x"])
        #expect(abs(x - 0.7) < 0.12)
        #expect(result.finalists.first?.number == result.winner)
        #expect(result.best.isOnFront || result.finalists.contains { $0.isOnFront })
        #expect(result.candidates.count <= 61)
        #expect(result.importance.first?.name == "x")
        let harmless = try #require(result.importance.first { $0.name == "z" })
        #expect(harmless.share < 0.3)
    }

    /// A search that ends by time lists what it measured, and nothing else.
    @Test(arguments: [1e-9, 0.002, 0.01]) func candidatesWithoutTimeAreNotListed(minutes: Double) throws {
        let fixture = try TuningFixture.shared.get()
        let result = try TuningSearch(
            fixture.space(), evaluator: fixture.evaluator(), budget: .minutes(minutes), seed: 1
        ).run()
        #expect(result.candidates.map(\.number) == Array(result.candidates.indices))
        #expect(result.candidates.allSatisfy { !$0.rungs.isEmpty || $0.failure != nil })
        #expect(result.candidates[result.winner].rungs.count == result.rungTrials.count)
    }

    @Test func theNumberOfThreadsChangesNothing() throws {
        let fixture = try TuningFixture.shared.get()
        let one = try fixture.search(fixture.space(), jobs: 1)
        let two = try fixture.search(fixture.space(), jobs: 2)
        #expect(one.withoutTimes == two.withoutTimes)
        let other = try fixture.search(fixture.space(), seed: 2)
        #expect(other.withoutTimes != one.withoutTimes)
    }

    @Test func recordingsAreAnalysedOnceForAllCandidates() throws {
        let fixture = try TuningFixture.shared.get()
        let before = SignMatcher.prepared.withLock { $0 }
        let evaluator = CandidateEvaluator(questions: fixture.questions, jobs: 2, folder: fixture.folder)
        let search = try TuningSearch(
            fixture.space(), evaluator: evaluator, budget: .candidates(10), seed: 1)
        #expect(try search.run().candidates.count == 11)
        let tracks = fixture.plan.references(leavingOut: nil).count
        #expect(SignMatcher.prepared.withLock { $0 } - before == tracks)
    }

    @Test(
        arguments: zip(
            [0, 7, 100, 300],
            [
                TuningError("stopped"), MachineError("the disk is full"), TuningError("stopped"),
                MachineError("the disk is full"),
            ] as [any Error]))
    func aStoppedSearchResumesAndRepeatsNothing(after queries: Int, by error: any Error) throws {
        let fixture = try TuningFixture.shared.get()
        let folder = try TemporaryFolder()
        let space = try fixture.space()
        let started = SignMatcher.asked.withLock { $0 }
        let whole = try fixture.search(space, jobs: 1)
        let asked = SignMatcher.asked.withLock { $0 } - started
        try #require(asked > 300)

        SignMatcher.stop.withLock { $0 = (started + asked + queries, error) }
        defer { SignMatcher.stop.withLock { $0.queries = .max } }
        let path = folder.file("stopped")
        let thrown = #expect(throws: (any Error).self) {
            try fixture.search(space, study: fixture.study(path, space), jobs: 1)
        }
        #expect(thrown.map { "\($0)" } == "\(error)")
        SignMatcher.stop.withLock { $0.queries = .max }
        let stored = try fixture.study(path, space).storedTrials()
        #expect(stored.isEmpty == (queries < 10))
        let before = SignMatcher.asked.withLock { $0 }
        let resumed = try fixture.search(space, study: fixture.study(path, space), jobs: 1)
        #expect(resumed.withoutTimes == whole.withoutTimes)
        // Nothing is asked twice but the queries of the measurement that was broken off.
        let rest = SignMatcher.asked.withLock { $0 } - before
        #expect(rest <= asked && rest >= asked - queries - 1)
        #expect(queries == 0 || stored.isEmpty || rest < asked)

        let done = SignMatcher.asked.withLock { $0 }
        let again = try fixture.search(space, study: fixture.study(path, space))
        #expect(again.withoutTimes == whole.withoutTimes)
        #expect(SignMatcher.asked.withLock { $0 } == done)
    }

    @Test func settingsThatFailAreLeftOut() throws {
        let fixture = try TuningFixture.shared.get()
        let result = try fixture.search(fixture.space(["x"]), candidates: 60)
        let failed = result.candidates.filter { $0.failure != nil }
        #expect(!failed.isEmpty)
        for candidate in result.candidates where candidate.settings["x"] ?? 0 > 0.95 {
            #expect(candidate.rungs.isEmpty)
            #expect(candidate.number != result.winner)
        }
        let error = #expect(throws: TuningError.self) { try fixture.search(fixture.space(x: 0.99)) }
        #expect(error?.description.contains("the start settings fail: x is beyond") ?? false)
    }

    @Test func aFolderOfAnotherSearchIsRefused() throws {
        let fixture = try TuningFixture.shared.get()
        let folder = try TemporaryFolder()
        let path = folder.file("search")
        let space = try fixture.space()
        _ = try fixture.study(path, space)
        let (other, _) = try TuningFixture.open(
            TuningFixture.planText.replacingOccurrences(of: "seed: 3", with: "seed: 4"))
        for (space, plan, matcher, seed, word) in [
            (space, fixture.plan, "m", UInt64(2), "seed is 1, now 2"),
            (space, other, "m", 1, "plan"),
            (space, fixture.plan, "other", 1, "matcher"),
            (try fixture.space(x: 0.2), fixture.plan, "m", 1, "start"),
            (try fixture.space(["x"]), fixture.plan, "m", 1, "searched settings"),
        ] {
            let error = #expect(throws: TuningError.self) {
                try fixture.study(path, space, plan: plan, matcherDigest: matcher, seed: seed)
            }
            #expect(error?.description.contains(word) ?? false, "\(error?.description ?? "")")
            #expect(error?.description.contains(path) ?? false)
        }
        _ = try fixture.study(path, space)
    }

    @Test func aPlanWithoutNegativesIsRefused() throws {
        let text = TuningFixture.planText.replacingOccurrences(of: "negatives: 4", with: "negatives: 0")
        let (plan, material) = try TuningFixture.open(text)
        let folder = try TemporaryFolder()
        let error = #expect(throws: TuningError.self) {
            try QuestionSet(plan: plan, material: material, jobs: 2, folder: folder.path)
        }
        #expect(error?.description.contains("0 negative") ?? false)
    }

    @Test func settingsToSearchMustExist() throws {
        #expect(throws: TuningError.self) { try SearchSpace(SignMatcher.contestant, names: ["x", "w"]) }
        #expect(throws: TuningError.self) { try SearchSpace(SignMatcher.contestant, names: ["x", "x"]) }
        let fixed = Contestant(name: "fixed", summary: "") { SignMatcher(x: 0.7, y: 0.3) }
        let error = #expect(throws: TuningError.self) { try SearchSpace(fixed) }
        #expect(error?.description.contains("nothing to search") ?? false)
    }

    /// Each candidate is judged at the threshold that it needs, so another threshold changes nothing.
    @Test func aThresholdIsNotSearched() throws {
        let tunables = [true, false].map { isThreshold in
            TunableSetting(
                name: isThreshold ? "limit" : "x", in: 0...1, standard: 0.5, isThreshold: isThreshold,
                summary: "")
        }
        func contestant(_ tunables: [TunableSetting]) -> Contestant {
            Contestant(name: "limited", summary: "", tunables: tunables) { _ in SignMatcher(x: 0.7, y: 0.3) }
        }
        #expect(try SearchSpace(contestant(tunables)).tunables.map(\.name) == ["x"])
        for names in [["limit"], ["x", "limit"]] {
            let error = #expect(throws: TuningError.self) {
                try SearchSpace(contestant(tunables), names: names)
            }
            #expect(error?.description.contains("earshot threshold") == true)
        }
        let error = #expect(throws: TuningError.self) {
            try SearchSpace(contestant(Array(tunables.prefix(1))))
        }
        #expect(error?.description.contains("nothing to search") == true)
    }

    @Test func theHeldOutHalfIsComparedAndCounted() throws {
        let fixture = try TuningFixture.shared.get()
        let folder = try TemporaryFolder()
        let space = try fixture.space()
        let evaluator = CandidateEvaluator(questions: fixture.heldOut, jobs: 2, folder: folder.path)
        for look in 1...2 {
            let ledger = try LookLedger(path: folder.file("ledger.jsonl"))
            let check = try HeldOutCheck(
                of: ["x": 0.7, "y": 0.3], above: nil, in: space, evaluator: evaluator, ledger: ledger, seed: 1
            )
            #expect(check.look == look)
            #expect(check.half == .test)
            #expect(check.againstStandard.difference == 0)
            #expect(check.againstStandard.probability == 1)
            #expect(!check.againstStandard.isSignificantlyWorse)
            #expect(check.againstStart.difference > 0.3)
            #expect(check.againstStart.probability < 0.05)
            #expect(check.againstStart.onlyOther == 0)
            let (lower, upper) = (check.againstStart.lower ?? .nan, check.againstStart.upper ?? .nan)
            #expect(
                0 < lower && lower < check.againstStart.difference && check.againstStart.difference < upper)
        }
        // As after a kill in the middle of a line.
        let file = try #require(FileHandle(forWritingAtPath: folder.file("ledger.jsonl")))
        try file.seekToEnd()
        try file.write(contentsOf: Data("{\"corpus\":".utf8))
        try file.close()
        let ledger = try LookLedger(path: folder.file("ledger.jsonl"))
        let check = try HeldOutCheck(
            of: ["x": 0.2], above: nil, in: space, evaluator: evaluator, ledger: ledger, seed: 1)
        #expect(check.look == 3)
        #expect(check.againstStandard.isSignificantlyWorse)
        let lines = try String(contentsOfFile: folder.file("ledger.jsonl"), encoding: .utf8)
        #expect(lines.split(separator: "\n").count == 3)
        try Data("nonsense\n".utf8).write(to: URL(fileURLWithPath: folder.file("other")))
        let error = #expect(throws: TuningError.self) { try LookLedger(path: folder.file("other")) }
        #expect(error?.description.contains("other:1") ?? false)
    }

    @Test func theThresholdOfTheSearchedHalfIsCarriedOver() throws {
        let fixture = try TuningFixture.shared.get()
        let folder = try TemporaryFolder()
        let evaluator = CandidateEvaluator(questions: fixture.heldOut, jobs: 2, folder: folder.path)
        let ledger = try LookLedger(path: folder.file("ledger.jsonl"))
        func check(above score: Double?) throws -> HeldOutCheck {
            try HeldOutCheck(
                of: ["x": 0.7, "y": 0.3], above: score, in: fixture.space(), evaluator: evaluator,
                ledger: ledger, seed: 1)
        }
        let every = try check(above: nil).carried
        let some = try check(above: 0.4).carried
        #expect(every.above == nil && some.above == 0.4)
        #expect(0 < some.recall.successes && some.recall.successes < every.recall.successes)
        #expect(every.recall.trials == every.recall.successes && every.falseAccepts.trials > 0)
        #expect(try check(above: 1).carried.recall.successes == 0)
    }

    /// On the other half, with the noise of that half.
    @Test func theCheckTakesItsThresholdFromTheSearch() throws {
        let fixture = try TuningFixture.shared.get()
        let folder = try TemporaryFolder()
        let plan = folder.file("quiet.yaml")
        try """
        name: quiet
        corpus: synthetic
        seed: 3
        positives: 12
        negatives: 6
        negativeFolds: 2
        lengthSeconds: 1
        families: [{name: quiet music, chain: [{music: {snrDecibels: 60}}]}]
        """.write(toFile: plan, atomically: true, encoding: .utf8)
        let library = try CorpusLibrary(recipeFolder: PackageFolder.shortCorpora)
        let space = try fixture.space(of: SignMatcher.guessing)
        let run = try TuningRun(
            RunRequest(plan: plan), of: space, in: library, seed: 1, jobs: 2,
            folder: folder.file("search"), note: { _ in }, progress: { _, _, _ in })
        let ledger = folder.file("ledger.jsonl")
        let result = try run.search(.candidates(5), includingStandard: true, ledger: ledger)
        let threshold = try #require(result.best.rungs.last?.highestWrongScore)
        let check = try #require(result.heldOut)
        #expect(check.carried.above == threshold)
        #expect(try run.look(at: result.best.settings, ledger: ledger).carried == check.carried)

        let other = try RunRequest(plan: plan, half: .test).open(in: library)
        #expect(check.half == .test && check.planDigest == other.plan.digest)
        let questions = try QuestionSet(
            plan: other.plan, material: other.material, jobs: 2, folder: folder.path)
        let expected = try HeldOutCheck(
            of: result.best.settings, above: threshold, in: space,
            evaluator: CandidateEvaluator(questions: questions, jobs: 2, folder: folder.path),
            ledger: LookLedger(path: ledger), seed: 1)
        #expect(check.carried == expected.carried)
        #expect(check.chosen.highestWrongScore == expected.chosen.highestWrongScore)
        #expect(check.chosen.highestWrongScore != threshold)
    }

    /// The highest guess of the standard settings gets a higher score: that costs most of the recall.
    @Test func oneHighNegativeIsNoSignificantLoss() throws {
        let fixture = try TuningFixture.shared.get()
        let folder = try TemporaryFolder()
        let space = try fixture.space(of: SignMatcher.guessing)
        let evaluator = CandidateEvaluator(questions: fixture.heldOut, jobs: 2, folder: folder.path)
        let ledger = try LookLedger(path: folder.file("ledger.jsonl"))
        func check(_ settings: [String: Double]) throws -> HeldOutCheck {
            try HeldOutCheck(
                of: settings, above: nil, in: space, evaluator: evaluator, ledger: ledger, seed: 1)
        }
        let highest = try #require(check(space.standard).chosen.highestWrongScore)
        let change = try check(space.standard.merging(["z": highest]) { $1 }).againstStandard
        #expect(change.difference < -0.3 && change.onlyChosen == 0 && change.onlyOther > 10)
        #expect(change.probability > 0.5 && !change.isSignificantlyWorse)
    }

    @Test func serverAnswersAndExplainsMistakes() throws {
        let fixture = try TuningFixture.shared.get()
        let server = ObjectiveServer(try fixture.space(), evaluator: fixture.evaluator(), seed: 1)
        #expect(try server.introduction().contains("\"rungTrials\":["))
        let good = try server.reply(to: "{\"settings\": {\"x\": 0.7, \"y\": 0.3}}")
        #expect(good.contains("\"rung\":2") && good.contains("recallAtZeroFalseAccepts"))
        #expect(!good.contains("error"))
        #expect(try server.reply(to: "{\"settings\": {}, \"rung\": 0}").contains("\"rung\":0"))
        for (line, word) in [
            ("nonsense", "expected"), ("{\"settings\": {\"w\": 1}}", "no setting w"),
            ("{\"settings\": {\"x\": 7}}", "x cannot be 7"), ("{\"settings\": {}, \"rung\": 3}", "no rung 3"),
            ("{\"settings\": {\"x\": 0.99}}", "beyond what it can bear"),
        ] {
            let reply = try server.reply(to: line)
            #expect(reply.contains("error") && reply.contains(word), "\(reply)")
        }
    }
}
